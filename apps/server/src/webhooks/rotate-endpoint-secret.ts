import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { requireRenewal, requireReveal } from '../stores/require-reveal.ts';
import { createWebhookSecret } from '../stores/store.ts';
import { holdStore } from '../stores/store-sql.ts';
import { tellOwners } from '../stores/tell-owners.ts';
import { endEarlierEndpointSecrets, insertEndpointSecret, readEndpointSecretIds } from './endpoint-secret-sql.ts';
import { requireEndpoint } from './require-endpoint.ts';
import { endpointSecretPurpose } from './webhook-endpoint.ts';

type NamedEndpoint = { store: StoreRef; endpoint: string };

/** Rotates the secret of a webhook endpoint and notifies the owners. During the overlap both sign. */
export async function rotateEndpointSecret(
  { database, clock, jobs, ring }: MailContext & { ring: KeyRing },
  actor: Actor,
  { store, endpoint, overlapHours }: NamedEndpoint & { overlapHours: number },
): Promise<string> {
  await requireRenewal(database.queries, actor);
  const at = new Date(clock.nowMs());
  const until = new Date(at.getTime() + overlapHours * HOUR_MS);
  const secret = createWebhookSecret();
  await inTransaction(database, async (tx) => {
    // Concurrent rotations wait for each other, so that neither misses the other's secret.
    await holdStore(tx, store.id);
    const { id: endpointId } = await requireEndpoint(tx, { store, endpoint });
    await endEarlierEndpointSecrets(tx, endpointId, { at, until });
    const secretId = await sealSecret(tx, ring, endpointSecretPurpose(endpointId), secret);
    await insertEndpointSecret(tx, { endpointId, storeId: store.id, secretId }, at);
    const data = { until: String(until.getTime()), endpoint };
    await tellOwners(tx, { clock, jobs }, actor, { store, template: 'webhook-secret-changed', at, data });
    await recordAudit(tx, clock, actor, {
      action: 'endpoint_secret.rotate',
      subject: `store:${store.id}`,
      details: { endpoint, overlapHours },
    });
  });
  return secret;
}

/** Reveals the newest secret of a webhook endpoint, with an audit entry. */
export async function revealEndpointSecret(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  { store, endpoint }: NamedEndpoint,
): Promise<string> {
  await requireReveal(database.queries, actor);
  const { id } = await requireEndpoint(database.queries, { store, endpoint });
  const [secretId] = await readEndpointSecretIds(database.queries, id, new Date(clock.nowMs()));
  if (secretId === undefined) throw new Refusal('ENDPOINT_WITHOUT_SECRET', { endpointId: String(id) });
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, actor, {
      action: 'endpoint_secret.reveal',
      subject: `store:${store.id}`,
      details: { endpoint },
    }),
  );
  return openSecret(database.queries, ring, secretId, endpointSecretPurpose(id));
}
