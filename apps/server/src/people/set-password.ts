import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { clientSurroundings } from '../lib/client-address.ts';
import { Refusal } from '../lib/refusal.ts';
import { linkSubject, requireLink } from './attempt.ts';
import { keepEarlier } from './keep-earlier.ts';
import { endLinks, findLinkPerson, useLink } from './link-sql.ts';
import { mailPerson } from './mail-person.ts';
import { findPasswordFault, hashPassword } from './password.ts';
import type { PeopleContext } from './people-context.ts';
import { hashLinkToken } from './person.ts';
import { lockPerson, readPerson, savePassword, verifyPerson } from './person-sql.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

type SetPasswordInput = { token: string; password: string };

/**
 * Sets a password by a link that the person got, which also proves their mail address. All sessions of the person end;
 * a second factor stays and is still asked for.
 */
export async function setPassword(
  context: PeopleContext,
  actor: Visitor,
  { token, password }: SetPasswordInput,
): Promise<void> {
  const { database, clock, ring } = context;
  const { address, agent } = actor;
  const isKnown = await requireLink(database.queries, address, token);
  const hash = hashLinkToken(token);
  if (!hash) throw new Refusal('LINK_INVALID');
  const passwordHash = await hashPassword(
    password,
    isKnown ? { known: linkSubject(hash) } : { stranger: clientSurroundings(address) },
  );
  await inTransaction(database, async (tx) => {
    const personId = await findLinkPerson(tx, hash);
    if (personId === undefined) throw new Refusal('LINK_INVALID');
    await lockPerson(tx, personId);
    const at = new Date(clock.nowMs());
    if (!(await useLink(tx, hash, 'set-password', at))) throw new Refusal('LINK_INVALID');
    // A refusal undoes the use of the link, so that the person can try another password.
    const { mail, passwordHash: before } = await readPerson(tx, personId);
    const fault = await findPasswordFault(password, mail);
    if (fault) throw new Refusal('PASSWORD_UNFIT', { fault });
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
