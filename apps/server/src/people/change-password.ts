import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireNewPassword } from './attempt.ts';
import { endDevices } from './device-sql.ts';
import { keepEarlier } from './keep-earlier.ts';
import { endLinks } from './link-sql.ts';
import { lockActor } from './lock-actor.ts';
import { mailPerson } from './mail-person.ts';
import { findPasswordFault, hashPassword } from './password.ts';
import type { PeopleContext } from './people-context.ts';
import { readPerson, savePassword } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

/** Changes a password. All other sessions end and earlier links become invalid. */
export async function changePassword(context: PeopleContext, actor: Person, password: string): Promise<void> {
  const { database, clock, ring } = context;
  requireElevated(actor);
  const { id: personId, sessionHash, address, agent } = actor;
  const { mail } = await readPerson(database.queries, personId);
  const fault = await findPasswordFault(password, mail);
  if (fault) throw new Refusal('PASSWORD_UNFIT', { fault });
  await requireNewPassword(database.queries, personId);
  const passwordHash = await hashPassword(password, { known: actor.code });
  await inTransaction(database, async (tx) => {
    await lockActor(tx, actor);
    const at = new Date(clock.nowMs());
    const undo = await keepEarlier(tx, ring, { personId, changed: 'password' }, at);
    await savePassword(tx, personId, passwordHash, at);
    await endLinks(tx, personId, at);
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await endDevices(tx, personId, actor.deviceHash);
    await insertSecurityEvent(tx, { kind: 'password-set', personId, address, agent }, at);
    const data = { ...undo, at: String(at.getTime()) };
    await mailPerson(tx, context, { personId, template: 'password-changed', data });
  });
}
