import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { expireWebhookSecrets, insertWebhookSecret } from './api-key-store.ts';
import { createWebhookSecret, webhookSecretPurpose } from './store.ts';
import { findStore } from './store-store.ts';

const HOUR_MS = 3_600_000;

/** A new secret; the old one signs along until the overlap is over, so that a receiver can switch in between. */
export async function rotateWebhookSecret(
  database: Database,
  clock: Clock,
  ring: KeyRing,
  input: { merchantId: string; overlapHours: number; actor: string },
): Promise<string> {
  const store = await findStore(database.queries, input.merchantId);
  if (!store) throw new OperatorError(`There is no store ${input.merchantId}.`);
  const at = new Date(clock.nowMs());
  const secret = createWebhookSecret();
  await inTransaction(database, async (tx) => {
    await expireWebhookSecrets(tx, store.id, new Date(at.getTime() + input.overlapHours * HOUR_MS));
    const secretId = await sealSecret(tx, ring, webhookSecretPurpose(store.id), secret);
    await insertWebhookSecret(tx, store.id, secretId, at);
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: 'webhook_secret.rotate',
      subject: `store:${store.id}`,
      details: { overlapHours: input.overlapHours },
    });
  });
  return secret;
}
