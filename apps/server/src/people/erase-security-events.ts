import type { Context } from '../db/context.ts';
import { dropOldestMonth } from '../db/partition-sql.ts';
import { keptSince } from './security-event.ts';
import { deleteOldEvents } from './security-event-sql.ts';

const BATCH = 500;

/** Deletes one batch of expired security events; returns whether there may be more. */
export async function eraseSecurityEvents({ database, clock }: Context): Promise<boolean> {
  const before = keptSince(new Date(clock.nowMs()));
  const month = await dropOldestMonth(database, 'security_events', before);
  const rows = await deleteOldEvents(database.queries, before, BATCH);
  return month !== undefined || rows >= BATCH;
}
