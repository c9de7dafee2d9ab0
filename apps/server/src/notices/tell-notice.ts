import type { Tx } from '../db/transaction.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import type { NoticeKind } from './notice.ts';
import { isTold, topicOf } from './notice.ts';
import { insertNotice, listRecipients } from './notice-sql.ts';
import type { NewNotice } from './notice-sql.ts';

const MAX_RECIPIENTS = 500;

type Told = {
  merchantAccountId: bigint;
  /** Members who see none of these stores are not notified. */
  storeIds: readonly bigint[];
  kind: NoticeKind;
  template: MailTemplate;
  /** The data of an email to a member who sees these stores. */
  dataFor: (storeIds: readonly bigint[]) => MailData;
};

/** Queues an email to each member who receives the topic. */
export async function mailMembers(tx: Tx, outbox: Outbox, told: Told): Promise<void> {
  const { merchantAccountId, storeIds, kind, template, dataFor } = told;
  const topic = topicOf(kind);
  const members = await listRecipients(tx, { merchantAccountId, storeIds }, { topic, limit: MAX_RECIPIENTS });
  for (const { id, mail, language, role, storeIds: seen } of members) {
    if (!isTold(role, topic)) continue;
    const to = requireMailAddress(mail);
    await queueMail(tx, outbox, {
      template,
      language,
      to,
      data: { ...dataFor(seen), person: String(id) },
      merchantAccountId,
    });
  }
}

const TEMPLATES = {
  'low-balance': 'low-balance',
  'endpoint-failing': 'endpoint-failing',
  'endpoint-down': 'endpoint-failing',
  'unmatched-money': 'unmatched-money',
  'payment-claimed': 'payment-claimed',
  'api-key-ending': 'api-key-ending',
  'exchange-key-ending': 'exchange-key-ending',
} as const satisfies Record<NoticeKind, MailTemplate>;

/** Reports a fact by email, with its row; nothing when it was reported before and is not over. */
export async function tellNotice(
  tx: Tx,
  outbox: Outbox,
  notice: NewNotice & { storeIds: readonly bigint[] },
): Promise<void> {
  const { merchantAccountId, storeIds, kind } = notice;
  const id = await insertNotice(tx, notice, new Date(outbox.clock.nowMs()));
  if (id === undefined) return;
  const dataFor = () => ({ notice: String(id) });
  await mailMembers(tx, outbox, { merchantAccountId, storeIds, kind, template: TEMPLATES[kind], dataFor });
}
