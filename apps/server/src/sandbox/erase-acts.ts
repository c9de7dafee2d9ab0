import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { deleteActs } from './act-sql.ts';

const KEPT_DAYS = 30;
const BATCH = 500;

/** Erases actions done a month ago, not test payments; returns whether there may be more. */
export async function eraseActs({ database, clock }: Context): Promise<boolean> {
  const before = new Date(clock.nowMs() - KEPT_DAYS * DAY_MS);
  return (await inTransaction(database, (tx) => deleteActs(tx, before, BATCH))) === BATCH;
}
