import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { requireReveal } from './require-reveal.ts';
import { webhookSecretPurpose } from './store.ts';
import { readWebhookSecretIds } from './webhook-secret-sql.ts';

export async function revealWebhookSecret(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  { store }: { store: StoreRef },
): Promise<string> {
  await requireReveal(database.queries, actor);
  const [secretId] = await readWebhookSecretIds(database.queries, store.id, new Date(clock.nowMs()));
  if (secretId === undefined) throw new Refusal('STORE_WITHOUT_SECRET', { storeId: String(store.id) });
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, actor, { action: 'webhook_secret.reveal', subject: `store:${store.id}`, details: {} }),
  );
  return openSecret(database.queries, ring, secretId, webhookSecretPurpose(store.id));
}
