import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { readNewestApiKey } from './api-key-store.ts';
import { apiKeyPurpose } from './store.ts';
import { findStore } from './store-store.ts';

/** The store's current key in clear. Looking is audited before anything is shown. */
export async function revealApiKey(
  database: Database,
  clock: Clock,
  ring: KeyRing,
  input: { merchantId: string; actor: string },
): Promise<string> {
  const store = await findStore(database.queries, input.merchantId);
  const key = store && (await readNewestApiKey(database.queries, store.id));
  if (!key) throw new OperatorError(`There is no store ${input.merchantId}.`);
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, {
      actor: input.actor,
      action: 'api_key.reveal',
      subject: `store:${store.id}`,
      details: { key: key.hint },
    }),
  );
  return openSecret(database.queries, ring, key.secretId, apiKeyPurpose(store.id, key.hash));
}
