import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { insertDemand } from './account-schedule-sql.ts';

export type AccountDemand = {
  network: string;
  account: string;
  /** No payment that is looked for is older. */
  startAt: Date;
  /** Until when the account is polled as often as one with an open quote. */
  openUntil: Date;
};

/** Has a worker read an account now, and follow it if nobody does. */
export async function demandAccount(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  demand: AccountDemand,
): Promise<void> {
  await inTransaction(database, (tx) => insertDemand(tx, demand));
}
