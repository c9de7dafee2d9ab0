import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireOrigin } from './attempt.ts';
import { findPasswordFault, hashPassword } from './password.ts';
import { hashLinkToken } from './person.ts';
import { endLinks, readPerson, savePassword, useLink, verifyPerson } from './person-sql.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

type SetPasswordInput = { token: string; password: string };

/**
 * Sets a password by a link that the person got, which also proves their mail address. All sessions of the person end;
 * a second factor stays and is still asked for.
 */
export async function setPassword(
  { database, clock }: Context,
  actor: Visitor,
  { token, password }: SetPasswordInput,
): Promise<void> {
  const { address, agent } = actor;
  await requireOrigin(database.queries, address);
  const hash = hashLinkToken(token);
  if (!hash) throw new Refusal('LINK_INVALID');
  const passwordHash = await hashPassword(password);
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const personId = await useLink(tx, hash, 'set-password', at);
    if (personId === undefined) throw new Refusal('LINK_INVALID');
    // A refusal undoes the use of the link, so that the person can try another password.
    const fault = findPasswordFault(password, (await readPerson(tx, personId)).mail);
    if (fault) throw new Refusal('PASSWORD_UNFIT', { fault });
    await savePassword(tx, personId, passwordHash, at);
    await verifyPerson(tx, personId, at);
    await endLinks(tx, personId, at);
    await revokeSessionsOf(tx, personId, null, at);
    await insertSecurityEvent(tx, { kind: 'password-set', personId, address, agent }, at);
  });
}
