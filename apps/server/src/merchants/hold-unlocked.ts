import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import { holdMethods } from './merchant-sql.ts';

/** Holds a merchant's payment methods; refuses while they are locked. */
export async function holdUnlocked(tx: Tx, merchantAccountId: bigint): Promise<void> {
  const held = await holdMethods(tx, merchantAccountId);
  if (!held) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
  if (held.lockedAt) throw new Refusal('METHODS_LOCKED');
}
