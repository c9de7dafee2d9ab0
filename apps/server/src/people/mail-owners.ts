import type { Tx } from '../db/transaction.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { listOwners, listRecentOwners, listTeam } from './membership-sql.ts';

/**
 * A mail to the owners of a merchant; `data` gets the ids of the merchant and of each owner besides. `except` is a
 * person who gets no such mail, because it is about them.
 */
type OwnersMail = {
  merchantAccountId: bigint;
  template: MailTemplate;
  data: MailData;
  except?: bigint;
  merges?: boolean;
};

/** How many owners of a merchant are told; no merchant has more. */
const MAX_OWNERS = 500;

/** Queues a mail to each owner of a merchant, in the caller's transaction. */
export async function mailOwners(
  tx: Tx,
  outbox: Outbox,
  { merchantAccountId, template, data, except, merges = false }: OwnersMail,
): Promise<void> {
  const merchant = String(merchantAccountId);
  for (const { id, mail, language } of await listOwners(tx, merchantAccountId, MAX_OWNERS)) {
    if (id === except) continue;
    const to = requireMailAddress(mail);
    await queueMail(tx, outbox, { template, language, to, data: { ...data, merchant, person: String(id) }, merges });
  }
}

/** How many members of a merchant are notified; a team page lists as many. */
const MAX_MEMBERS = 500;

/** Queues a mail to every member of a merchant, in the caller's transaction. */
export async function mailTeam(
  tx: Tx,
  outbox: Outbox,
  { merchantAccountId, template, data, merges = false }: Omit<OwnersMail, 'except'>,
): Promise<void> {
  const merchant = String(merchantAccountId);
  for (const { id, mail, language } of await listTeam(tx, merchantAccountId, MAX_MEMBERS)) {
    const to = requireMailAddress(mail);
    await queueMail(tx, outbox, { template, language, to, data: { ...data, merchant, person: String(id) }, merges });
  }
}

const DAY_MS = 86_400_000;
/** How long someone who was an owner is notified like one: a thief could otherwise remove the owners first. */
const RECENT_DAYS = 7;

/**
 * Queues a mail to everyone who was an owner of a merchant in the last seven days, also at the email addresses that they
 * replaced in that time.
 */
export async function mailRecentOwners(
  tx: Tx,
  outbox: Outbox,
  { merchantAccountId, template, data }: Omit<OwnersMail, 'except'>,
): Promise<void> {
  const since = new Date(outbox.clock.nowMs() - RECENT_DAYS * DAY_MS);
  const merchant = String(merchantAccountId);
  for (const { id, mail, language } of await listRecentOwners(tx, { merchantAccountId, since, limit: MAX_OWNERS })) {
    const to = requireMailAddress(mail);
    await queueMail(tx, outbox, { template, language, to, data: { ...data, merchant, person: String(id) } });
  }
}
