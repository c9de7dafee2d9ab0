import type { Context } from '../db/context.ts';
import { keptSince } from './security-event.ts';
import { deleteOldEvents } from './security-event-sql.ts';

const BATCH = 500;

/** Deletes security events that are older than they are kept, one round; returns whether there may be more. */
export async function eraseSecurityEvents({ database, clock }: Context): Promise<boolean> {
  return (await deleteOldEvents(database.queries, keptSince(new Date(clock.nowMs())), BATCH)) >= BATCH;
}
