import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { insertDemand } from './account-schedule-sql.ts';

export type AccountDemand = {
  network: string;
  account: string;
  /** The earliest time of a payment that is looked for. */
  startAt: Date;
  /** Until when the followed account is polled as often as one with an open quote. */
  openUntil: Date;
};

/** Has a worker read a followed account now; an address that is not followed yet is followed from then on. */
export async function demandAccount(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  demand: AccountDemand,
): Promise<void> {
  await inTransaction(database, (tx) => insertDemand(tx, demand));
}
