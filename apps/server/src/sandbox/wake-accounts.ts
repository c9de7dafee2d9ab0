import { insertDemand } from '../accounts/account-schedule-sql.ts';
import { listFollowedOf } from '../accounts/account-sql.ts';
import type { Tx } from '../db/transaction.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import type { ActOutcome } from './act-sql.ts';
import type { Place } from './sandbox-transfer-sql.ts';
import { noteChange } from './sandbox-transfer-sql.ts';

/** Wakes readers of the sandbox: a followed account where something has changed is read when its reader looks next. */

/** Makes a followed account due for a read at once; an address that is not followed yet becomes followed. */
export async function wakeAccount(tx: Tx, place: Place, at: Date, openUntil = at): Promise<void> {
  const startAt = new Date(at.getTime() - WINDOW_SKEW_SECONDS * 1_000);
  await insertDemand(tx, { ...place, startAt, openUntil });
}

/** Makes every followed account of a test store due for a read at once, because the store's outage is over. */
export async function wakeStore(tx: Tx, storeId: bigint, at: Date): Promise<ActOutcome> {
  for (const place of await listFollowedOf(tx, storeId)) {
    await noteChange(tx, place);
    await wakeAccount(tx, place, at);
  }
  return { done: true };
}
