import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { insertDemand } from './account-schedule-sql.ts';

export type AccountDemand = {
  network: string;
  account: string;
  startAt: Date;
  /** Until when the account is polled as one with an open quote. */
  openUntil: Date;
};

/** Has a worker read an account now; an unfollowed address is followed from then on. */
export async function demandAccount(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  demand: AccountDemand,
): Promise<void> {
  await inTransaction(database, (tx) => insertDemand(tx, demand));
}
