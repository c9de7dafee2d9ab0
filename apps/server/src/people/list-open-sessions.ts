import type { Context } from '../db/context.ts';
import type { Operator } from '../lib/actor.ts';
import { requirePerson } from './require-person.ts';
import type { OpenSession } from './shut-out-sql.ts';
import { findOpenSessions } from './shut-out-sql.ts';

const MAX_LISTED = 500;

/** The active sessions of a person, newest first, for an operator who ends them. */
export async function listOpenSessions(
  { database, clock }: Context,
  _actor: Operator,
  { person: named }: { person: string },
): Promise<OpenSession[]> {
  const { id: personId } = await requirePerson(database.queries, named);
  return findOpenSessions(database.queries, { personId, now: new Date(clock.nowMs()), limit: MAX_LISTED });
}
