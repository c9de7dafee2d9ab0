import type { Tx } from '../db/transaction.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { readPerson } from '../people/person-sql.ts';

/** Most addresses that get an email about a restore; hardly anyone has more in a week. */
const MAX_ADDRESSES = 10;

type AddressesMail = { personId: bigint; addresses: readonly string[]; template: MailTemplate; data: MailData };

/** Queues an email to each of a person's addresses, once. */
export async function mailAddresses(
  tx: Tx,
  outbox: Outbox,
  { personId, addresses, template, data }: AddressesMail,
): Promise<void> {
  const { language } = await readPerson(tx, personId);
  const all = new Map(addresses.map(requireMailAddress).map((address) => [address.normal, address]));
  for (const to of [...all.values()].slice(0, MAX_ADDRESSES))
    await queueMail(tx, outbox, { template, language, to, data: { ...data, person: String(personId) } });
}
