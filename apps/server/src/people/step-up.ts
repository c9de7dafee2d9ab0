import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireFactor, requireSteppedUp } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import { checkFactor } from './check-factor.ts';
import { stopResetByFactor } from './factor-reset-sql.ts';
import { openSession } from './open-session.ts';
import { isPassword, NOBODYS_HASH } from './password.ts';
import type { PeopleContext } from './people-context.ts';
import { lockPerson, readPerson } from './person-sql.ts';
import { returnIfBusy } from './return-if-busy.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { lockSession, revokeSession } from './session-sql.ts';

type StepUpInput = { password: string; totp?: string | undefined };

/** Allows dangerous actions for minutes after password and two-factor. The new token has the same end. */
export async function stepUp(context: PeopleContext, actor: Person, { password, totp }: StepUpInput): Promise<string> {
  const { database, clock } = context;
  const { queries } = database;
  const { id: personId, sessionHash, address, agent } = actor;
  const person = await readPerson(queries, personId);
  // Learning that the code is required is not a guess.
  if (person.hasFactor && totp === undefined) throw new Refusal('FACTOR_NEEDED');
  const reserved = await requireFactor(context, actor, { personId, signsIn: false });
  // The password is checked first: a wrong one must not use up the code.
  const isRight =
    (await returnIfBusy(queries, reserved, () =>
      isPassword(password, person.passwordHash ?? NOBODYS_HASH, { known: actor.code }),
    )) &&
    (!person.hasFactor || (await checkFactor(context, personId, { totp: totp ?? '' })));
  if (!isRight) {
    await insertSecurityEvent(queries, { kind: 'factor-refused', personId, address, agent }, new Date(clock.nowMs()));
    throw new Refusal('FACTOR_WRONG');
  }
  await requireSteppedUp(queries, personId);
  await giveBackAttempts(queries, reserved);
  return inTransaction(database, async (tx) => {
    await lockPerson(tx, personId);
    const at = new Date(clock.nowMs());
    // A used method is not lost. This comes before the session's lock, as when a reset is applied.
    if (person.hasFactor) await stopResetByFactor(tx, personId, at);
    const session = await lockSession(tx, sessionHash);
    if (!session) throw new Refusal('SESSION_ENDED');
    await revokeSession(tx, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'step-up', personId, address, agent }, at);
    const proof = person.hasFactor ? 'totp' : session.proof;
    const { absoluteUntil } = session;
    return openSession(tx, { person, proof, half: false, elevated: true, origin: actor, absoluteUntil }, at);
  });
}
