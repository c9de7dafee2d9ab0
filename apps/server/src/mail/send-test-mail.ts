import type { Language } from '@counterfoil/core/language.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { parseMailAddress } from './mail-address.ts';
import type { Outbox, QueuedMail } from './queue-mail.ts';
import { queueMail } from './queue-mail.ts';

type TestMailInput = { outbox: Outbox; to: string; language: Language };

export async function sendTestMail(
  { database, clock }: Context,
  actor: Actor,
  input: TestMailInput,
): Promise<QueuedMail> {
  const { outbox, language } = input;
  const to = parseMailAddress(input.to);
  if (!to) throw new Refusal('MAIL_ADDRESS_INVALID', { address: input.to });
  return inTransaction(database, async (tx) => {
    const queued = await queueMail(tx, outbox, { template: 'mail-test', language, to, data: {} });
    const details = { to: to.shown, state: queued.state };
    await recordAudit(tx, clock, actor, { action: 'mail.test', subject: `mail:${queued.mailId}`, details });
    return queued;
  });
}
