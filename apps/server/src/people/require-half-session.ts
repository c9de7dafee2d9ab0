import type { Context } from '../db/context.ts';
import { Refusal } from '../lib/refusal.ts';
import type { OperatorRole } from './person.ts';
import { hashSessionToken, isLasting } from './session.ts';
import { findSession } from './session-sql.ts';

type HalfSession = { hash: Buffer; personId: bigint; operatorRole: OperatorRole | null };

/** Finds the session that waits for two-factor; refuses any other token. */
export async function requireHalfSession({ database, clock }: Context, token: string): Promise<HalfSession> {
  const hash = hashSessionToken(token);
  const half = hash && (await findSession(database.queries, hash));
  if (!hash || !half?.half || !half.admitted || !isLasting(half, new Date(clock.nowMs())))
    throw new Refusal('SESSION_ENDED');
  const { personId, operatorRole } = half;
  return { hash, personId, operatorRole };
}
