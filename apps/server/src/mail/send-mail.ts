import type { Language } from '@counterfoil/core/language.ts';
import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import type { Alarm } from '../audit/alarm.ts';
import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { showLife } from '../lib/watchdog.ts';
import type { MailTransport } from './create-transport.ts';
import type { Gatherers } from './gatherer.ts';
import type { MailAddress } from './mail-address.ts';
import { parseMailAddress } from './mail-address.ts';
import type { MailFault } from './mail-fault.ts';
import { judgeFault } from './mail-fault.ts';
import type { MailServer } from './mail-server.ts';
import type { StoredMail } from './mail-sql.ts';
import { countAttempt, decideMail, findMail } from './mail-sql.ts';
import type { MailTemplate } from './mail.ts';
import { TRIED_MAILS } from './mail-topic.ts';
import type { RenderedMail } from './render-mail.ts';
import { renderMail } from './render-mail.ts';

/** What a worker needs to send email. */
export type Sending = { server: MailServer; transport: Pick<MailTransport, 'send' | 'close'>; gatherers: Gatherers };

type SendMailContext = Context & Sending;

/** One alarm per kind and subject in this time: strangers can cause emails to wrong addresses. */
const QUIET_MS = 3_600_000;
/** An unreachable server raises an alarm from this attempt on. */
const SILENT_ATTEMPTS = 3;

const isKnown = (mail: StoredMail, { gatherers }: SendMailContext) =>
  mail.template in gatherers && LANGUAGE_CODES.includes(mail.language as Language);

/** Loads an email's facts and renders it; undefined when it is no longer needed. */
async function prepareMail(
  context: SendMailContext,
  mail: StoredMail,
  to: MailAddress,
): Promise<RenderedMail | undefined> {
  const { database, clock, gatherers, server } = context;
  const template = mail.template as MailTemplate;
  const data = mail.merged === 0 ? mail.data : { ...mail.data, merged: String(mail.merged) };
  const facts = await gatherers[template]({ database, clock, dashboardUrl: server.dashboardUrl }, data, to);
  if (!facts) return undefined;
  const language = mail.language as Language;
  return renderMail({ template, language, facts, dashboardUrl: server.dashboardUrl });
}

/** The alarm for a fault, if any. */
function alarmOf(mail: StoredMail, fault: MailFault, attempts: number): Alarm | undefined {
  const details = { mail: String(mail.id), template: mail.template, reason: fault.reason };
  if (fault.kind === 'refused') return { kind: 'mail-refused', subject: String(fault.code), details };
  const unusable = fault.kind === 'sign-in' || fault.kind === 'encryption';
  if (!unusable && !(fault.kind === 'connection' && attempts >= SILENT_ATTEMPTS)) return undefined;
  return { kind: 'mail-server-unusable', subject: fault.kind, details };
}

async function saveFault({ database, clock }: Context, mail: StoredMail, fault: MailFault): Promise<void> {
  const at = new Date(clock.nowMs());
  const error = fault.reason;
  await inTransaction(database, async (tx) => {
    if (fault.kind === 'refused') await decideMail(tx, mail.id, { state: 'failed', at, attempted: true, error });
    const attempts = fault.kind === 'refused' ? 0 : await countAttempt(tx, mail.id, error);
    const alarm = alarmOf(mail, fault, attempts);
    if (alarm) await raiseRarely(tx, at, alarm, QUIET_MS);
  });
}

/**
 * Sends a queued email and saves the outcome; throws for a retry. The server is contacted outside transactions, so an
 * email can arrive twice: when a worker dies after the server accepted it.
 */
export async function sendMail(context: SendMailContext, mailId: bigint): Promise<void> {
  const { database, clock, server, transport } = context;
  const mail = await findMail(database.queries, mailId);
  if (mail?.state !== 'queued') return;
  // A row of a later version: its workers take the job at another attempt.
  if (!isKnown(mail, context)) throw new Error(`The mail ${mail.template} (${mail.language}) is not known here.`);
  const to = parseMailAddress(mail.toAddress);
  if (!to) throw new Error('The stored address of the mail is not plain.');
  const rendered = await prepareMail(context, mail, to);
  const decided = () => ({ at: new Date(clock.nowMs()) });
  if (!rendered) {
    await decideMail(database.queries, mail.id, { state: 'dropped', ...decided(), attempted: false });
    TRIED_MAILS.publish('dropped');
    return;
  }
  const domain = server.from.address.shown.split('@')[1];
  try {
    await transport.send({ ...rendered, to, messageId: `<mail-${mail.id}.${mail.createdAt.getTime()}@${domain}>` });
  } catch (cause) {
    const fault = judgeFault(cause);
    await saveFault(context, mail, fault);
    TRIED_MAILS.publish(fault.kind === 'refused' ? 'refused' : 'retry');
    if (fault.kind === 'refused') return;
    throw cause;
  } finally {
    showLife();
  }
  await decideMail(database.queries, mail.id, { state: 'sent', ...decided(), attempted: true });
  TRIED_MAILS.publish('sent');
}
