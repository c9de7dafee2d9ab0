import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Tx } from '../db/transaction.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { listOwners, listRecentOwners, listTeam } from './membership-sql.ts';

/** An email to the owners of a merchant, except one; `data` also gets the merchant's and each owner's id. */
type OwnersMail = {
  merchantAccountId: bigint;
  template: MailTemplate;
  data: MailData;
  except?: bigint;
  merges?: boolean;
};

const MAX_OWNERS = 500;

/** Queues an email to each owner of a merchant. */
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

/** Most members that are notified, as on a team page. */
const MAX_MEMBERS = 500;

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

/** Former owners are notified for this long: a thief could otherwise remove the owners first. */
const RECENT_DAYS = 7;

/** Queues an email to everyone who was an owner in the last seven days, also at addresses replaced since. */
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
