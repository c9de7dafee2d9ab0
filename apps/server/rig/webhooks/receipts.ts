import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../src/lib/clock.ts';

/**
 * Receipts of merchants' receivers: which event arrived when, whether its signature was right, and whether its body was
 * the same each time.
 */

/**
 * How receipts are verified: `clock` checks the age as a merchant does; `paced` ignores the age, because the senders'
 * clock runs faster than the receiver's clock.
 */
export type Verifying = 'none' | 'paced' | 'clock';

export type Receipt = {
  eventId: string;
  path: string;
  received: number;
  succeeded: number;
  firstReceivedAtMs: number;
  /** Time of the first success; zero before the first success. */
  firstSuccessAtMs: number;
};

type ReceiptFaults = {
  signatures: number;
  /** How often an event came with other bytes than before. */
  bodies: number;
  /** Later events of an invoice that came before the earlier event, or while the earlier event was in flight. */
  early: { eventId: string; atMs: number }[];
  /** Requests to the target of a redirect. */
  followed: number;
};

export type ReceiptReport = {
  receipts: Receipt[];
  faults: ReceiptFaults;
  mostPerHost: number;
  mostPerEndpoint: number;
};

export const REDIRECT_TARGET = '/elsewhere';

type Arrival = { host: string; path: string; headers: IncomingHttpHeaders; body: string };

export type Receipts = {
  /**
   * Records a request. The receiver calls `succeed` just before it answers with success, and `end` when the request is
   * over, with or without success.
   */
  arrive(arrival: Arrival): { succeed(): void; end(): void };
  expect(verifying: Verifying, secrets: Record<string, string>): void;
  report(): ReceiptReport;
  forget(): void;
};

type Seen = Receipt & { body: string; ended: boolean };

/** The store that a URL path names by its first part; secrets are looked up by store. */
const storeOf = (path: string) => path.split('/')[1] ?? '';

function isSigned(webhook: Webhook, verifying: Verifying, headers: IncomingHttpHeaders, body: string): boolean {
  const id = String(headers['webhook-id']);
  const seconds = Number(headers['webhook-timestamp']);
  if (verifying === 'paced') {
    const expected = webhook.sign(id, new Date(seconds * 1000), body);
    return String(headers['webhook-signature']).split(' ').includes(expected);
  }
  try {
    webhook.verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** Counts requests in flight per name, and remembers the maximum. */
function createGauge() {
  const counts = new Map<string, number>();
  let most = 0;
  return {
    move(name: string, by: 1 | -1) {
      const count = (counts.get(name) ?? 0) + by;
      counts.set(name, count);
      most = Math.max(most, count);
    },
    most: () => most,
    forget: () => {
      most = 0;
    },
  };
}

export function createReceipts(): Receipts {
  const seen = new Map<string, Seen>();
  const bySequence = new Map<string, Seen>();
  const webhooks = new Map<string, Webhook>();
  const hosts = createGauge();
  const endpoints = createGauge();
  let verifying: Verifying = 'none';
  let faults: ReceiptFaults = { signatures: 0, bodies: 0, early: [], followed: 0 };

  function judge({ path, headers, body }: Arrival, one: Seen, isFirst: boolean): void {
    if (path === REDIRECT_TARGET) faults.followed += 1;
    if (verifying === 'none') return;
    const webhook = webhooks.get(storeOf(path));
    if (!webhook || !isSigned(webhook, verifying, headers, body)) faults.signatures += 1;
    const event = JSON.parse(body) as { event_id: string; trans_id: string; sequence: number };
    if (one.body !== body || event.event_id !== one.eventId) faults.bodies += 1;
    if (!isFirst) return;
    bySequence.set(`${event.trans_id} ${event.sequence}`, one);
    const earlier = bySequence.get(`${event.trans_id} ${event.sequence - 1}`);
    if (event.sequence > 1 && earlier?.ended !== true)
      faults.early.push({ eventId: one.eventId, atMs: one.firstReceivedAtMs });
  }

  return {
    arrive(arrival) {
      const { host, path, headers, body } = arrival;
      const nowMs = systemClock.nowMs();
      const eventId = String(headers['webhook-id']);
      const known = seen.get(eventId);
      const fresh = { eventId, path, received: 0, succeeded: 0, firstReceivedAtMs: nowMs, firstSuccessAtMs: 0 };
      const one = known ?? { ...fresh, body, ended: false };
      seen.set(eventId, one);
      one.received += 1;
      judge(arrival, one, known === undefined);
      hosts.move(host, 1);
      endpoints.move(`${host}${path}`, 1);
      let over = false;
      return {
        succeed: () => {
          one.succeeded += 1;
          if (one.firstSuccessAtMs === 0) one.firstSuccessAtMs = systemClock.nowMs();
        },
        end: () => {
          if (over) return;
          over = true;
          one.ended = true;
          hosts.move(host, -1);
          endpoints.move(`${host}${path}`, -1);
        },
      };
    },
    expect: (how, secrets) => {
      verifying = how;
      for (const [store, secret] of Object.entries(secrets)) webhooks.set(store, new Webhook(secret));
    },
    report: () => ({
      receipts: [...seen.values()].map(({ body: _body, ended: _ended, ...receipt }) => receipt),
      faults,
      mostPerHost: hosts.most(),
      mostPerEndpoint: endpoints.most(),
    }),
    forget: () => {
      seen.clear();
      bySequence.clear();
      hosts.forget();
      endpoints.forget();
      faults = { signatures: 0, bodies: 0, early: [], followed: 0 };
    },
  };
}
