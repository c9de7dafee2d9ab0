import { isRefusal } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { saveReplacedAddress, takeAddressChange } from './address-change-sql.ts';
import { requireLink } from './attempt.ts';
import { endDevices } from './device-sql.ts';
import { keepEarlier } from './keep-earlier.ts';
import { endLinks, useLink } from './link-sql.ts';
import type { PeopleContext } from './people-context.ts';
import { hashLinkToken } from './person.ts';
import { lockPerson, readPerson, saveMailAddress } from './person-sql.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

const ONE_PERSON = 'people_mail_normal_key';

async function changeAddress(tx: Tx, context: PeopleContext, actor: Person, hash: Buffer): Promise<void> {
  const { id: personId, sessionHash, address, agent } = actor;
  const at = new Date(context.clock.nowMs());
  await lockPerson(tx, personId);
  const link = await useLink(tx, hash, 'change-mail', at);
  const changeId = link?.personId === personId ? link.addressChangeId : null;
  const wanted = changeId === null ? undefined : await takeAddressChange(tx, changeId, at);
  if (changeId === null || !wanted) throw new Refusal('LINK_INVALID');
  const { mail: old, language } = await readPerson(tx, personId);
  const undo = await keepEarlier(tx, context.ring, { personId, changed: 'address' }, at);
  await saveMailAddress(tx, personId, wanted);
  await saveReplacedAddress(tx, changeId, old);
  // The old email address may be someone else's by now, so its links end.
  await endLinks(tx, personId, at);
  await revokeSessionsOf(tx, personId, sessionHash, at);
  await endDevices(tx, personId, actor.deviceHash);
  await insertSecurityEvent(tx, { kind: 'address-changed', personId, address, agent }, at);
  const data = { ...undo, change: String(changeId) };
  await queueMail(tx, context, { template: 'address-changed', language, to: requireMailAddress(old), data });
}

/** Confirms an email address that is still free; ends other sessions and notifies the old address. */
export async function confirmAddressChange(context: PeopleContext, actor: Person, token: string): Promise<void> {
  const { database } = context;
  await requireLink(database.queries, actor.address, token);
  const hash = hashLinkToken(token);
  if (!hash) throw new Refusal('LINK_INVALID');
  try {
    await inTransaction(database, (tx) => changeAddress(tx, context, actor, hash));
  } catch (cause) {
    throw isRefusal(cause, ONE_PERSON) ? new Refusal('ADDRESS_TAKEN') : cause;
  }
}
