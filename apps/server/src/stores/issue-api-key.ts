import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { apiKeyHint, createApiKeyText, hashApiKey } from './api-key.ts';
import { expireApiKeys, insertApiKey } from './api-key-store.ts';
import { apiKeyPurpose } from './store.ts';
import { findStore } from './store-store.ts';

export const MAX_OVERLAP_HOURS = 168;
const HOUR_MS = 3_600_000;

type KeyOwner = { id: bigint; live: boolean; shard: string };

export async function addApiKey(tx: Tx, ring: KeyRing, store: KeyOwner, at: Date): Promise<string> {
  const text = createApiKeyText(store.live, store.shard);
  const hash = hashApiKey(text);
  const secretId = await sealSecret(tx, ring, apiKeyPurpose(store.id, hash), text);
  await insertApiKey(tx, { storeId: store.id, hash, secretId, hint: apiKeyHint(text), createdAt: at });
  return text;
}

export type IssueInput = { merchantId: string; overlapHours: number; actor: string };

/** Regenerates a store's key. The old one ends at once, or after an overlap in which both share the store's limits. */
export async function issueApiKey(database: Database, clock: Clock, ring: KeyRing, input: IssueInput): Promise<string> {
  const store = await findStore(database.queries, input.merchantId);
  if (!store) throw new OperatorError(`There is no store ${input.merchantId}.`);
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    const ended = await expireApiKeys(tx, store.id, new Date(at.getTime() + input.overlapHours * HOUR_MS));
    const text = await addApiKey(tx, ring, store, at);
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: 'api_key.regenerate',
      subject: `store:${store.id}`,
      details: { before: ended, after: apiKeyHint(text), overlapHours: input.overlapHours },
    });
    return text;
  });
}
