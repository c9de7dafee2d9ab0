import type { Context } from '../db/context.ts';
import type { Person, Visitor } from '../lib/actor.ts';
import type { OperatorRole } from './person.ts';
import { hashSessionToken, idleUntil, isElevated, isLasting, SEEN_EVERY_MS } from './session.ts';
import { findSession, noteSessionSeen } from './session-sql.ts';

/** The signed-in person of a request. */
export type SignedIn = { person: Person; operatorRole: OperatorRole | null; sessionCode: string };

/**
 * Finds the person of a session token; undefined for a session that is unknown, has ended, or waits for two-factor. The
 * last use is recorded at most once a minute.
 */
export async function resumeSession(
  { database, clock }: Context,
  { address, agent, deviceHash }: Visitor,
  token: string,
): Promise<SignedIn | undefined> {
  const hash = hashSessionToken(token);
  const session = hash && (await findSession(database.queries, hash));
  const now = new Date(clock.nowMs());
  if (!session || session.half || !session.admitted || !isLasting(session, now)) return undefined;
  if (now.getTime() - session.seenAt.getTime() >= SEEN_EVERY_MS) {
    const until = idleUntil(now, session.operatorRole !== null, session.absoluteUntil);
    await noteSessionSeen(database.queries, hash, now, until);
  }
  const person: Person = {
    kind: 'person',
    id: session.personId,
    code: session.personCode,
    sessionHash: hash,
    hasFactor: session.proof !== 'password',
    operatorRole: session.operatorRole,
    elevated: isElevated(session, now),
    address,
    agent,
    deviceHash,
  };
  return { person, operatorRole: session.operatorRole, sessionCode: session.code };
}
