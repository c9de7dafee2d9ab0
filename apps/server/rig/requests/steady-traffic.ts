import { setTimeout as wait } from 'node:timers/promises';
import { steadyClock } from '../../src/lib/clock.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { Said, SecureCaller } from './secure-caller.ts';

/** Steady traffic through the proxy: each client sends one request after another, and every response is recorded. */

/** A request; `status` is 0 when there was no response. */
export type Sent = {
  method: 'POST' | 'GET';
  /** The idempotency key of the invoice that the request is about. */
  requestId: string;
  /** Whether the request creates the invoice. */
  creates: boolean;
  status: number;
  sentAtMs: number;
  endedAtMs: number;
  /** Sends the same request once more. */
  ask: () => Promise<Said>;
};

type Request = { method: Sent['method']; creates?: boolean; ask: () => Promise<Said> };
/** Sends a request and records it. Returns undefined unless the response is 200. */
export type Send = (request: Request) => Promise<Said | undefined>;

export type Traffic = {
  sent: readonly Sent[];
  /** Stops after what each client has in progress. */
  stop(): Promise<void>;
};

type TrafficOptions = {
  /** Start of the idempotency keys. */
  name: string;
  clients: number;
  /** Pause of a client after each request. */
  pauseMs: number;
  live: (send: Send, requestId: string) => Promise<void>;
};

const OK = 200;

export function startTraffic({ name, clients, pauseMs, live }: TrafficOptions): Traffic {
  const sent: Sent[] = [];
  const stopping = new AbortController();

  const sendAs =
    (requestId: string): Send =>
    async ({ method, creates = false, ask }) => {
      const sentAtMs = steadyClock.nowMs();
      const said = await ask().catch(() => ({ status: 0, text: '' }));
      sent.push({ method, requestId, creates, status: said.status, sentAtMs, endedAtMs: steadyClock.nowMs(), ask });
      await wait(pauseMs);
      return said.status === OK ? said : undefined;
    };

  async function runClient(client: number): Promise<void> {
    for (let count = 1; !stopping.signal.aborted; count += 1) {
      const requestId = `${name}-${client}-${count}`;
      await live(sendAs(requestId), requestId);
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_unused, client) => runClient(client + 1)));
  return {
    sent,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

export type Merchant = {
  api: SecureCaller;
  checkout: SecureCaller;
  store: Pick<TestStore, 'merchantId' | 'apiKey'>;
};

const JSON_TYPE = { 'content-type': 'application/json' };

/** Creates an invoice by its idempotency key; `more` are further fields. */
export function createByRequestId(
  { api, store }: Omit<Merchant, 'checkout'>,
  requestId: string,
  more: Record<string, string> = {},
): Promise<Said> {
  return api.ask({
    method: 'POST',
    path: '/payment/crypto',
    headers: { ...JSON_TYPE, 'x-api-key': store.apiKey },
    body: JSON.stringify({ merchant_id: store.merchantId, amount: '25.00', request_id: requestId, ...more }),
  });
}

const transIdOf = ({ text }: Said) => (JSON.parse(text) as { data: { trans_id: string } }).data.trans_id;

/** Creates an invoice, and returns its id when that succeeds. */
export async function sendCreation(
  merchant: Omit<Merchant, 'checkout'>,
  send: Send,
  requestId: string,
  more: Record<string, string> = {},
): Promise<string | undefined> {
  const ask = () => createByRequestId(merchant, requestId, more);
  const said = await send({ method: 'POST', creates: true, ask });
  return said && transIdOf(said);
}

/** Creates an invoice, looks it up and opens its page. */
export async function browse(merchant: Merchant, send: Send, requestId: string): Promise<void> {
  const { api, checkout, store } = merchant;
  const transId = await sendCreation(merchant, send, requestId);
  if (transId === undefined) return;
  const headers = { 'x-api-key': store.apiKey };
  await send({ method: 'GET', ask: () => api.ask({ path: `/invoice/${transId}`, headers }) });
  await send({ method: 'GET', ask: () => checkout.ask({ path: `/bill/${transId}` }) });
}
