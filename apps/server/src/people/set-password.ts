import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { linkSubject, requireAttempt, requireLink } from './attempt.ts';
import { keepEarlier } from './keep-earlier.ts';
import { endLinks, findLinkPerson, useLink } from './link-sql.ts';
import { mailPerson } from './mail-person.ts';
import { findPasswordFault, hashPassword } from './password.ts';
import type { PeopleContext } from './people-context.ts';
import { hashLinkToken } from './person.ts';
import { lockPerson, readPerson, savePassword, verifyPerson } from './person-sql.ts';
import { returnIfBusy } from './return-if-busy.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

type SetPasswordInput = { token: string; password: string };

/** Sets a password by a link, which also proves the email address. All sessions end; two-factor is still required. */
export async function setPassword(
  context: PeopleContext,
  actor: Visitor,
  { token, password }: SetPasswordInput,
): Promise<void> {
  const { database, clock, ring } = context;
  const { address, agent } = actor;
  const { queries } = database;
  await requireLink(queries, address, token);
  const hash = hashLinkToken(token);
  const personId = hash && (await findLinkPerson(queries, hash, new Date(clock.nowMs())));
  if (!hash || personId === undefined) throw new Refusal('LINK_INVALID');
  const fault = await findPasswordFault(password, (await readPerson(queries, personId)).mail);
  if (fault) throw new Refusal('PASSWORD_UNFIT', { fault });
  const subject = linkSubject(hash);
  const reserved = await requireAttempt(queries, subject);
  const passwordHash = await returnIfBusy(queries, reserved, () => hashPassword(password, { known: subject }));
  await inTransaction(database, async (tx) => {
    await lockPerson(tx, personId);
    const at = new Date(clock.nowMs());
    if (!(await useLink(tx, hash, 'set-password', at))) throw new Refusal('LINK_INVALID');
    const { passwordHash: before } = await readPerson(tx, personId);
    const undo = await keepEarlier(tx, ring, { personId, changed: 'password' }, at);
    await savePassword(tx, personId, passwordHash, at);
    await verifyPerson(tx, personId, at);
    await endLinks(tx, personId, at);
    await revokeSessionsOf(tx, personId, null, at);
    await insertSecurityEvent(tx, { kind: 'password-set', personId, address, agent }, at);
    const data = { ...undo, at: String(at.getTime()) };
    if (before !== null) await mailPerson(tx, context, { personId, template: 'password-changed', data });
  });
}
