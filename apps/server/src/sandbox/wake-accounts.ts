import { insertDemand } from '../accounts/account-schedule-sql.ts';
import { listFollowedOf } from '../accounts/account-sql.ts';
import type { Tx } from '../db/transaction.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import type { ActOutcome } from './act-sql.ts';
import type { Place } from './sandbox-transfer-sql.ts';
import { noteChange } from './sandbox-transfer-sql.ts';

/** Wakes readers of the sandbox: a changed account is read at the next poll. */

/** Makes an account due now, following it if needed. */
export async function wakeAccount(tx: Tx, place: Place, at: Date, openUntil = at): Promise<void> {
  const startAt = new Date(at.getTime() - WINDOW_SKEW_SECONDS * 1_000);
  await insertDemand(tx, { ...place, startAt, openUntil });
}

export async function wakeStore(tx: Tx, storeId: bigint, at: Date): Promise<ActOutcome> {
  for (const place of await listFollowedOf(tx, storeId)) {
    await noteChange(tx, place);
    await wakeAccount(tx, place, at);
  }
  return { done: true };
}
