import type { Tx } from '../db/transaction.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox, QueuedMail } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { readPerson } from './person-sql.ts';

type PersonMail = { personId: bigint; template: MailTemplate; data: MailData; merges?: boolean };

export async function mailPerson(
  tx: Tx,
  outbox: Outbox,
  { personId, template, data, merges = false }: PersonMail,
): Promise<QueuedMail> {
  const { mail, language } = await readPerson(tx, personId);
  const to = requireMailAddress(mail);
  return queueMail(tx, outbox, { template, language, to, data: { ...data, person: String(personId) }, merges });
}
