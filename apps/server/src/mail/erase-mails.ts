import type { Context } from '../db/context.ts';
import { deleteOldMails } from './mail-sql.ts';

/** How long a decided mail is kept, so that it can still be said whether somebody was told. */
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;
const BATCH = 500;

/**
 * Erases mails that were decided three months ago, one round; returns whether there may be more. Each holds the address
 * of a person, who may have left meanwhile.
 */
export async function eraseMails({ database, clock }: Context): Promise<boolean> {
  const before = new Date(clock.nowMs() - KEPT_DAYS * DAY_MS);
  return (await deleteOldMails(database.queries, before, BATCH)) === BATCH;
}
