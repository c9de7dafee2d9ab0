import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { FaultSite } from './site.ts';
import { DASHBOARD } from './site.ts';
import type { CallKind } from './traffic.ts';

/**
 * Users of the dashboard: some sign in, some ask for an email with a link for a new password, and an owner exports the
 * merchant's invoices.
 */

export type Members = {
  /** Addresses whose request for an email was acknowledged, and when it was sent. */
  askedMails: readonly { mail: string; sentAtMs: number }[];
  /** Codes of acknowledged exports. */
  askedExports: readonly string[];
  stop(): Promise<void>;
};

const PAUSES_MS = { 'sign-in': 500, email: 1_000, export: 12_000 };
const RETRY_MS = 500;
const ANSWER_MS = 15_000;

class UnansweredError extends Error {
  constructor() {
    super(`The dashboard did not answer within ${ANSWER_MS} ms.`);
    this.name = 'UnansweredError';
  }
}

async function send(browser: Browser, path: string, body: unknown): Promise<Record<string, unknown>> {
  const over = new AbortController();
  const late = wait(ANSWER_MS, undefined, { signal: over.signal }).then(() => {
    throw new UnansweredError();
  });
  late.catch(() => {});
  try {
    const answer = await Promise.race([browser.send('POST', path, body), late]);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.data ?? {};
  } finally {
    over.abort();
  }
}

type Asking = { browser: Browser; path: string; body: unknown; onSuccess?: (answer: Record<string, unknown>) => void };

export function startMembers(site: FaultSite): Members {
  const { traffic, people, dashboard } = site;
  const stopping = new AbortController();
  const askedMails: { mail: string; sentAtMs: number }[] = [];
  const askedExports: string[] = [];
  let [signIns, emails] = [0, 0];
  /** Each of these requests comes from a browser and an IP address of its own: addresses have budgets. */
  const stranger = () => openBrowser(dashboard);

  const nextAsking: Record<keyof typeof PAUSES_MS, () => Asking> = {
    'sign-in': () => {
      const { mail = '', password = '' } = people.signingIn[signIns % people.signingIn.length] ?? {};
      signIns += 1;
      return { browser: stranger(), path: '/session', body: { mail, password } };
    },
    // Somebody who has not been named before: each address has a budget, also of failed requests.
    email: () => {
      const mail = people.forgetting[emails];
      if (mail === undefined) throw new Error('Everybody has asked for an email already.');
      emails += 1;
      const sentAtMs = systemClock.nowMs();
      const onSuccess = () => void askedMails.push({ mail, sentAtMs });
      return { browser: stranger(), path: '/forgot', body: { mail }, onSuccess };
    },
    export: () => ({
      browser: people.owner.person.browser,
      path: `/accounts/${people.owner.account}/exports`,
      body: { kind: 'invoices' },
      onSuccess: ({ export: code }) => void askedExports.push(String(code)),
    }),
  };

  async function repeat(kind: CallKind & keyof typeof PAUSES_MS): Promise<void> {
    while (!stopping.signal.aborted && !site.signal.aborted) {
      const { browser, path, body, onSuccess } = nextAsking[kind]();
      const pauseMs = await traffic
        .call(kind, DASHBOARD, () => send(browser, path, body))
        .then((answer) => {
          onSuccess?.(answer);
          return PAUSES_MS[kind];
        })
        .catch(() => RETRY_MS);
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = Promise.all([repeat('sign-in'), repeat('email'), repeat('export')]);
  running.catch(() => stopping.abort());
  return {
    askedMails,
    askedExports,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
