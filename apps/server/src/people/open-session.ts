import type { Tx } from '../db/transaction.ts';
import type { Origin } from '../lib/actor.ts';
import type { KnownPerson } from './person-sql.ts';
import { createSessionCode } from './person.ts';
import type { Proof } from './session.ts';
import { drawSessionToken, ELEVATED_MS, hashSessionToken, sessionTimes } from './session.ts';
import { insertSession, revokeOldest } from './session-sql.ts';

/** Most active sessions of one person; a further sign-in ends the oldest. */
const MOST_SESSIONS = 50;

type SessionInput = {
  person: Pick<KnownPerson, 'id' | 'operatorRole'>;
  proof: Proof;
  half: boolean;
  elevated: boolean;
  origin: Origin;
  /** The end of the replaced session: a new token never prolongs a session. */
  absoluteUntil?: Date;
  /** The end of the replaced session's step-up, where the new token does not prolong it. */
  elevatedUntil?: Date | null;
};

/** Opens a session; returns the token for the browser. */
export async function openSession(tx: Tx, input: SessionInput, at: Date): Promise<string> {
  const { person, proof, half, elevated, origin } = input;
  const token = drawSessionToken();
  const hash = hashSessionToken(token);
  if (!hash) throw new Error('A session token has an unknown form.');
  const times = sessionTimes(at, { operator: person.operatorRole !== null, half });
  const absoluteUntil = input.absoluteUntil ?? times.absoluteUntil;
  const session = {
    hash,
    code: createSessionCode(),
    personId: person.id,
    proof,
    half,
    absoluteUntil,
    idleUntil: times.idleUntil < absoluteUntil ? times.idleUntil : absoluteUntil,
    elevatedUntil: input.elevatedUntil ?? (elevated ? new Date(at.getTime() + ELEVATED_MS) : null),
    address: origin.address,
    agent: origin.agent,
  };
  await insertSession(tx, session, at);
  await revokeOldest(tx, { personId: person.id, kept: hash, most: MOST_SESSIONS - 1, at });
  return token;
}
