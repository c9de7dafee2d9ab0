import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { createWebhookSecret, webhookSecretPurpose } from './store.ts';
import { expireWebhookSecrets, insertWebhookSecret } from './webhook-secret-sql.ts';

const HOUR_MS = 3_600_000;

/**
 * Gives a store a new webhook secret. Until the overlap is over webhooks are signed with the old secret too, so that a
 * receiver can switch in between.
 */
export async function rotateWebhookSecret(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  { store, overlapHours }: { store: StoreRef; overlapHours: number },
): Promise<string> {
  const at = new Date(clock.nowMs());
  const secret = createWebhookSecret();
  await inTransaction(database, async (tx) => {
    await expireWebhookSecrets(tx, store.id, new Date(at.getTime() + overlapHours * HOUR_MS));
    const secretId = await sealSecret(tx, ring, webhookSecretPurpose(store.id), secret);
    await insertWebhookSecret(tx, store.id, secretId, at);
    await recordAudit(tx, clock, actor, {
      action: 'webhook_secret.rotate',
      subject: `store:${store.id}`,
      details: { overlapHours },
    });
  });
  return secret;
}
