import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import { deleteOldMails } from './mail-sql.ts';

/** How long a decided email is kept, as a record of notifications. */
const KEPT_DAYS = 90;
const BATCH = 500;

/** Erases a batch of emails decided three months ago; returns whether there may be more. */
export async function eraseMails({ database, clock }: Context): Promise<boolean> {
  const before = new Date(clock.nowMs() - KEPT_DAYS * DAY_MS);
  return (await deleteOldMails(database.queries, before, BATCH)) === BATCH;
}
