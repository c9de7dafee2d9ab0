import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { readNewestApiKey } from './api-key-sql.ts';
import { requireReveal } from './require-reveal.ts';
import { apiKeyPurpose } from './store.ts';

export async function revealApiKey(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  { store }: { store: StoreRef },
): Promise<string> {
  await requireReveal(database.queries, actor);
  const key = await readNewestApiKey(database.queries, store.id);
  if (!key) throw new Refusal('STORE_UNKNOWN', { store: store.merchantId });
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, actor, {
      action: 'api_key.reveal',
      subject: `store:${store.id}`,
      details: { key: key.hint },
    }),
  );
  return openSecret(database.queries, ring, key.secretId, apiKeyPurpose(store.id, key.hash));
}
