import type { Template } from '../database/template-database.ts';
import { NO_PRICES } from '../fakes/price-servers.ts';
import { makeMailCertificate } from '../mail/mail-certificate.ts';
import type { SmtpReceiver } from '../mail/smtp-receiver.ts';
import { startSmtpReceiver } from '../mail/smtp-receiver.ts';
import { startWorker } from '../processes/server-process.ts';
import { waitUntil } from '../processes/wait-until.ts';
import type { DashboardSite } from './dashboard-site.ts';
import { DASHBOARD_URL, openDashboardSite } from './dashboard-site.ts';

/** The dashboard's server, a worker and a mail server: users get real emails, and follow their links. */

export type MailedSite = DashboardSite & { receiver: SmtpReceiver };

/** Opens a site; `workerSettings` are for a worker that does more than send emails. */
export async function openMailedSite(
  template: Template,
  settings: Record<string, string> = {},
  workerSettings: Record<string, string> = {},
): Promise<MailedSite> {
  const certificate = await makeMailCertificate();
  const receiver = await startSmtpReceiver({ certificate });
  const mail = {
    COUNTERFOIL_MAIL_URL: receiver.url,
    COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
    COUNTERFOIL_DASHBOARD_URL: settings['COUNTERFOIL_DASHBOARD_URL'] ?? DASHBOARD_URL,
  };
  const site = await openDashboardSite(template, { ...mail, ...settings });
  const worker = await startWorker(site.url, {
    ...NO_PRICES,
    ...mail,
    NODE_EXTRA_CA_CERTS: certificate.path,
    COUNTERFOIL_KEY_RING_FILE: site.path,
    ...workerSettings,
  });
  const close = async () => {
    await worker.stop();
    await site.close();
    await receiver.stop();
    await certificate.remove();
  };
  return { ...site, receiver, close };
}

const SOON = { pollMs: 50 };

export type ReadMail = {
  to: readonly string[];
  subject: string;
  /** The text part, decoded. */
  text: string;
  /** The whole email as it was transferred. */
  source: string;
  /** Every address in the text that begins like a link. */
  links: readonly string[];
};

const decodeQuoted = (text: string) =>
  Buffer.from(
    text
      .replaceAll(/=\r?\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** The text part of an email that our own worker has sent. */
function textOf(source: string): string {
  const [, part = ''] = /Content-Type: text\/plain[\s\S]*?\r\n(?=Content|\r\n)([\s\S]*?)\r\n--/.exec(source) ?? [];
  const [, encoding = '', body = ''] = /Content-Transfer-Encoding: (\S+)\r\n\r\n([\s\S]*)/.exec(part) ?? [];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? decodeQuoted(body) : body;
}

function readReceived({ to, source }: { to: readonly string[]; source: string }): ReadMail {
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(source)?.[1] ?? '';
  const text = textOf(source);
  return { to, subject, text, source, links: text.match(/https?:\/\/\S+/g) ?? [] };
}

/** Emails that an address has got, oldest first. */
export function mailsTo({ receiver }: Pick<MailedSite, 'receiver'>, address: string): ReadMail[] {
  return receiver.received.filter(({ to }) => to.includes(address)).map(readReceived);
}

/** Waits for the newest email to an address with this subject. */
export async function awaitMail(
  site: Pick<MailedSite, 'receiver'>,
  to: string,
  subject: string | RegExp,
): Promise<ReadMail> {
  const matches = (mail: ReadMail) =>
    typeof subject === 'string' ? mail.subject === subject : subject.test(mail.subject);
  const find = () => mailsTo(site, to).findLast(matches);
  await waitUntil(() => find() !== undefined, { what: `No mail to ${to} about ${subject}.`, ...SOON });
  const found = find();
  if (!found) throw new Error(`There is no mail to ${to}.`);
  return found;
}

/** The token of the only link in an email. */
export function tokenIn({ links }: ReadMail): string {
  if (links.length !== 1) throw new Error(`The mail has ${links.length} links.`);
  return links[0]?.split('#').at(-1) ?? '';
}

/** Waits until no email is queued: everything expected has arrived. */
export async function awaitQuiet({ database }: Pick<MailedSite, 'database'>): Promise<void> {
  await waitUntil(
    async () => {
      const { rows } = await database.pool.query<{ waiting: number }>(
        `select count(*)::integer as waiting from mails where state = 'queued'`,
      );
      return rows[0]?.waiting === 0;
    },
    { what: 'Mails are still waiting.', ...SOON },
  );
}
