import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { findUrlFault, hasAtMost } from '../lib/text.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { requireRenewal } from '../stores/require-reveal.ts';
import { createWebhookSecret } from '../stores/store.ts';
import { holdStore } from '../stores/store-sql.ts';
import { tellOwners } from '../stores/tell-owners.ts';
import { findCallbackFault } from './callback-fault.ts';
import { insertEndpointSecret } from './endpoint-secret-sql.ts';
import { createEndpointCode, endpointSecretPurpose, MAX_ENDPOINT_URL, MAX_ENDPOINTS } from './webhook-endpoint.ts';
import { insertWebhookEndpoint } from './webhook-endpoint-sql.ts';

/** `privateCallbacks` allows private IP addresses; development only. */
type AddContext = MailContext & { ring: KeyRing; privateCallbacks: boolean };

type AddedEndpoint = { endpoint: string; secret: string };

/** Adds a webhook endpoint with a secret of its own, and notifies the owners: events go to its receiver from now on. */
export async function addWebhookEndpoint(
  { database, clock, jobs, ring, privateCallbacks }: AddContext,
  actor: Actor,
  { store, url, types }: { store: StoreRef; url: string; types: readonly InvoiceEventType[] },
): Promise<AddedEndpoint> {
  await requireRenewal(database.queries, actor);
  if (findUrlFault(url) === 'form' || !hasAtMost(url, MAX_ENDPOINT_URL))
    throw new Refusal('CALLBACK_INVALID', { maxCharacters: MAX_ENDPOINT_URL });
  const at = new Date(clock.nowMs());
  const code = createEndpointCode();
  const secret = createWebhookSecret();
  await inTransaction(database, async (tx) => {
    // Concurrent requests wait, so that each sees which places are free.
    const fault = findCallbackFault(url, await holdStore(tx, store.id), privateCallbacks);
    if (fault !== undefined) throw new Refusal('CALLBACK_UNFIT', { fault });
    const endpointId = await insertWebhookEndpoint(tx, { storeId: store.id, code, url, types }, at);
    if (endpointId === undefined) throw new Refusal('TOO_MANY_ENDPOINTS', { most: MAX_ENDPOINTS });
    const secretId = await sealSecret(tx, ring, endpointSecretPurpose(endpointId), secret);
    await insertEndpointSecret(tx, { endpointId, storeId: store.id, secretId }, at);
    await tellOwners(tx, { clock, jobs }, actor, {
      store,
      template: 'webhook-endpoint-added',
      at,
      data: { endpoint: code },
    });
    await recordAudit(tx, clock, actor, {
      action: 'endpoint.add',
      subject: `store:${store.id}`,
      details: { endpoint: code, url, types },
    });
  });
  return { endpoint: code, secret };
}
