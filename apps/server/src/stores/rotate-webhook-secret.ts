import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { requireRenewal } from './require-reveal.ts';
import { createWebhookSecret, webhookSecretPurpose } from './store.ts';
import { tellOwners } from './tell-owners.ts';
import { endEarlierWebhookSecrets, insertWebhookSecret } from './webhook-secret-sql.ts';

/**
 * Rotates a webhook secret and notifies the owners. During the overlap webhooks are signed with both, so that a
 * receiver can switch; an overlapping one ends immediately. Allowed while methods are locked: after a break-in the old
 * secret may be stolen.
 */
export async function rotateWebhookSecret(
  { database, clock, jobs, ring }: MailContext & { ring: KeyRing },
  actor: Actor,
  { store, overlapHours }: { store: StoreRef; overlapHours: number },
): Promise<string> {
  await requireRenewal(database.queries, actor);
  const at = new Date(clock.nowMs());
  const until = new Date(at.getTime() + overlapHours * HOUR_MS);
  const secret = createWebhookSecret();
  await inTransaction(database, async (tx) => {
    // Concurrent rotations wait for each other, so that neither misses the other's secret.
    await holdMethods(tx, store.merchantAccountId);
    await endEarlierWebhookSecrets(tx, store.id, { at, until });
    const secretId = await sealSecret(tx, ring, webhookSecretPurpose(store.id), secret);
    await insertWebhookSecret(tx, store.id, secretId, at);
    const data = { until: String(until.getTime()) };
    await tellOwners(tx, { clock, jobs }, actor, { store, template: 'webhook-secret-changed', at, data });
    await recordAudit(tx, clock, actor, {
      action: 'webhook_secret.rotate',
      subject: `store:${store.id}`,
      details: { overlapHours },
    });
  });
  return secret;
}
