import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { MAX_DEVICES } from './device.ts';
import { saveDevice } from './device-sql.ts';
import { lockPerson } from './person-sql.ts';
import { drawSessionToken, hashSessionToken } from './session.ts';
import { findSession } from './session-sql.ts';

/** Remembers the browser of a new session and returns its new token; none if the session has ended. */
export async function rememberDevice(
  { database, clock }: Context,
  actor: Visitor,
  token: string,
): Promise<string | undefined> {
  const sessionHash = hashSessionToken(token);
  const session = sessionHash && (await findSession(database.queries, sessionHash));
  if (!sessionHash || !session) return undefined;
  const { personId } = session;
  const deviceToken = drawSessionToken();
  const hash = hashSessionToken(deviceToken);
  if (!hash) throw new Error('A device token has an unknown form.');
  return inTransaction(database, async (tx) => {
    await lockPerson(tx, personId);
    // A change of the password has ended the session and all devices.
    const present = await findSession(tx, sessionHash);
    if (!present || present.half || present.revokedAt !== null) return undefined;
    await saveDevice(tx, { earlier: actor.deviceHash, hash, personId, most: MAX_DEVICES }, new Date(clock.nowMs()));
    return deviceToken;
  });
}
