import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { holdUnlocked } from '../merchants/hold-unlocked.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { apiKeyHint, createApiKeyText, hashApiKey } from './api-key.ts';
import { expireApiKeys, insertApiKey } from './api-key-sql.ts';
import { apiKeyPurpose } from './store.ts';

export const MAX_OVERLAP_HOURS = 168;
const HOUR_MS = 3_600_000;

type KeyOwner = Pick<StoreRef, 'id' | 'live' | 'shard'>;

export async function addApiKey(tx: Tx, ring: KeyRing, store: KeyOwner, at: Date): Promise<string> {
  const text = createApiKeyText(store.live, store.shard);
  const hash = hashApiKey(text);
  const secretId = await sealSecret(tx, ring, apiKeyPurpose(store.id, hash), text);
  await insertApiKey(tx, { storeId: store.id, hash, secretId, hint: apiKeyHint(text), createdAt: at });
  return text;
}

type IssueInput = { store: StoreRef; overlapHours: number };

/**
 * Gives a store a new API key. The old key ends at once, or after an overlap in which both keys share the store's
 * limits. Refused while the merchant's payment methods are locked: a lock stands for a break-in that somebody suspects.
 */
export async function issueApiKey(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  { store, overlapHours }: IssueInput,
): Promise<string> {
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    await holdUnlocked(tx, store.merchantAccountId);
    const ended = await expireApiKeys(tx, store.id, new Date(at.getTime() + overlapHours * HOUR_MS));
    const text = await addApiKey(tx, ring, store, at);
    await recordAudit(tx, clock, actor, {
      action: 'api_key.regenerate',
      subject: `store:${store.id}`,
      details: { before: ended, after: apiKeyHint(text), overlapHours },
    });
    return text;
  });
}
