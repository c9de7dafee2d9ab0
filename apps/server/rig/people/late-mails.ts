import { systemClock } from '../../src/lib/clock.ts';
import { GATHERERS } from '../../src/mail-gatherers.ts';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import type { MailServer } from '../../src/mail/mail-server.ts';
import { sendMail } from '../../src/mail/send-mail.ts';
import type { DashboardSite } from './dashboard-site.ts';
import { DASHBOARD_URL, openDashboardSite } from './dashboard-site.ts';

/** A dashboard whose emails stay in the queue until a test sends them, as with a slow email server. */

export const openLateSite = (...[template, settings = {}]: Parameters<typeof openDashboardSite>) =>
  openDashboardSite(template, {
    COUNTERFOIL_MAIL_URL: 'smtp://user:password@localhost:9',
    COUNTERFOIL_MAIL_FROM: 'no-reply@counterfoil.example',
    ...settings,
  });

const SERVER: MailServer = {
  host: 'localhost',
  port: 9,
  encryption: 'starttls',
  signIn: undefined,
  from: { name: 'Counterfoil', address: requireMailAddress('no-reply@counterfoil.example') },
  dashboardUrl: DASHBOARD_URL,
};

export type LateMail = { subject: string; text: string };

/** Sends what waits for an address, as a worker would, and returns what arrives there. */
export async function sendWaiting({ database }: Pick<DashboardSite, 'database'>, to: string): Promise<LateMail[]> {
  const arrived: LateMail[] = [];
  const transport = {
    send: async ({ subject, text }: LateMail) => void arrived.push({ subject, text }),
    close: () => undefined,
  };
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from mails where state = 'queued' and to_address = $1 order by id`,
    [to],
  );
  for (const { id } of rows)
    await sendMail({ database, clock: systemClock, gatherers: GATHERERS, server: SERVER, transport }, BigInt(id));
  return arrived;
}

/** The token of the last email's link; empty without one. */
export const lastToken = (mails: readonly LateMail[]) => /#([\w-]{43})\s/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
