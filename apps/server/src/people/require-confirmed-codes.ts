import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import { areCodesConfirmed } from './factor-sql.ts';

/** Refuses a user who has not confirmed having saved their recovery codes: losing the device would lose the account. */
export async function requireConfirmedCodes(tx: Tx, personId: bigint): Promise<void> {
  if (!(await areCodesConfirmed(tx, personId))) throw new Refusal('RECOVERY_CODES_UNCONFIRMED');
}
