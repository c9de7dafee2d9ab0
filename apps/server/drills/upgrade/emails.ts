import type { Faults } from '../../rig/report/faults.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Shop } from './merchant.ts';
import { PEOPLE } from './merchant.ts';
import type { Site } from './site.ts';

/** Emails that a person asks for at the dashboard: each is a job that a worker does. */

export type Emails = {
  /** Asks for one more email. */
  ask(): Promise<void>;
  received(): number;
  /** Waits until every email that was asked for has arrived. */
  untilReceived(): Promise<void>;
  /** How many jobs wait in our own table, because jobs were off when they were asked for. */
  countWaiting(): Promise<number>;
  /** Waits until every email has arrived. Returns how many were asked for, and how many are missing or too many. */
  settle(): Promise<{ asked: number; lost: number }>;
};

const POLL_MS = 200;
const RECEIVED_MS = 60_000;
const HTTP_OK = 200;

export function openEmails(site: Site, shop: Shop, faults: Faults): Emails {
  let asked = 0;
  const received = () => site.mailbox.received.length;
  const untilReceived = () =>
    waitUntil(() => received() >= asked, { what: 'An email is missing.', pollMs: POLL_MS, timeoutMs: RECEIVED_MS });

  return {
    ask: async () => {
      const origin = site.caddy.dashboardUrl;
      const { status, text } = await shop.dashboard.ask({
        method: 'POST',
        path: '/api/dashboard/forgot',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin },
        body: JSON.stringify({ mail: PEOPLE[asked % PEOPLE.length] }),
      });
      if (status === HTTP_OK) asked += 1;
      else faults.add(`an email could not be asked for: ${status} ${text}`);
    },
    received,
    untilReceived,
    countWaiting: async () => {
      const { rows } = await site.database.pool.query<{ count: number }>(
        `select count(*)::int as count from waiting_jobs where name = 'send-mail'`,
      );
      return rows[0]?.count ?? 0;
    },
    settle: async () => {
      await untilReceived().catch(() => {});
      return { asked, lost: Math.abs(asked - received()) };
    },
  };
}
