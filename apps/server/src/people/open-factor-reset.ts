import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { findOldestAddress } from './address-change-sql.ts';
import { changedSince } from './earlier-credentials.ts';
import { effectiveAt } from './factor-reset.ts';
import { insertReset, listOwnersAround } from './factor-reset-sql.ts';
import { mailPerson } from './mail-person.ts';
import type { KnownPerson } from './person-sql.ts';
import { readPerson } from './person-sql.ts';

/** How many owners are told about a reset. */
const MAX_OWNERS = 500;

type ResetInput = { person: KnownPerson; requestedBy: bigint | null; reason: string };

type ResetMail = { personId: bigint; template: MailTemplate; data: { reset: string } };

/** To the reader's address from before the last seven days' changes: a newer one may be a thief's. */
async function mailOldestAddress(tx: Tx, outbox: Outbox, mail: ResetMail, at: Date): Promise<void> {
  const { personId, template, data } = mail;
  const { mail: present, language } = await readPerson(tx, personId);
  const to = requireMailAddress((await findOldestAddress(tx, personId, changedSince(at))) ?? present);
  await queueMail(tx, outbox, { template, language, to, data: { ...data, person: String(personId) } });
}

/** Opens a reset and emails links that stop it to the person and their owners; returns when it takes effect. */
export async function openFactorReset(
  tx: Tx,
  outbox: Outbox,
  { person, requestedBy, reason }: ResetInput,
  at: Date,
): Promise<Date> {
  if (!person.hasFactor) throw new Refusal('FACTOR_MISSING');
  const effective = effectiveAt(at);
  const id = await insertReset(tx, { personId: person.id, requestedBy, reason, effectiveAt: effective }, at);
  if (id === undefined) throw new Refusal('FACTOR_RESET_OPEN');
  const data = { reset: String(id) };
  const notify = async (mail: ResetMail): Promise<unknown> =>
    requestedBy === null ? mailOldestAddress(tx, outbox, mail, at) : mailPerson(tx, outbox, mail);
  await notify({ personId: person.id, template: 'factors-reset-requested', data });
  for (const personId of await listOwnersAround(tx, person.id, MAX_OWNERS))
    await notify({ personId, template: 'member-factors-reset', data });
  return effective;
}
