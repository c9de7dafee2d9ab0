import { setTimeout as wait } from 'node:timers/promises';
import { parseDecimal } from '@counterfoil/core/amount.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { findToken } from '../../src/networks/network.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import type { CallKind } from './traffic.ts';
import type { FaultSite } from './site.ts';

/**
 * Shops and their customers: each creates an invoice, selects a payment method and pays. A failed request is retried at
 * the other API process with the same request id. Some shops send each creation to both processes simultaneously.
 */

type Payment = { requestId: string; transId: string; network: string; tx: string; sentAtMs: number };

export type Customers = {
  /** Ids of invoices with which each creation was answered, by request id. */
  acknowledged: ReadonlyMap<string, readonly string[]>;
  payments: readonly Payment[];
  /** Requests that did not succeed however often they were sent. */
  gaveUp: readonly string[];
  /** Lets every customer finish what is in progress. */
  stop(): Promise<void>;
};

type CustomerOptions = { site: FaultSite; seed: number; clients: number; pauseMs: number };

const ANSWER_MS = 8_000;
const RETRY_MS = 250;
/** How long a client sends a request again before it gives up. */
const INSIST_MS = 240_000;
const PAID_SHARE = 0.8;
const TWICE_SHARE = 0.2;
const MOST_CENTS = 90_000;
const LEAST_CENTS = 1_000;
const TOKEN = 'USDT';

class GaveUpError extends Error {
  constructor(kind: CallKind, requestId: string, cause: unknown) {
    super(`the ${kind} of ${requestId} did not succeed: ${String(cause)}`, { cause });
    this.name = 'GaveUpError';
  }
}

async function post(url: string, headers: Record<string, string>, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}

type Buyer = { site: FaultSite; requestId: string; number: number; random: () => number };
type Target = FaultSite['apis'][number];
type View = { view: { quote: { network: string; amount: string; address: string } | null } };

/** An API process for a client's attempt: the other one at each next attempt. */
function apiFor({ site, number }: Buyer, attempt: number): Target {
  const api = site.apis[(number + attempt) % site.apis.length];
  if (!api) throw new Error('There is no API.');
  return api;
}

/** Sends a request again until it succeeds. */
async function insist<Answer>(buyer: Buyer, kind: CallKind, ask: (api: Target) => Promise<Answer>): Promise<Answer> {
  const { traffic, signal } = buyer.site;
  const untilMs = systemClock.nowMs() + INSIST_MS;
  for (let attempt = 0; ; attempt += 1) {
    const api = apiFor(buyer, attempt);
    try {
      return await traffic.call(kind, api.name, () => ask(api));
    } catch (cause) {
      if (signal.aborted || systemClock.nowMs() > untilMs) throw new GaveUpError(kind, buyer.requestId, cause);
      await wait(RETRY_MS);
    }
  }
}

const visitorOf = (number: number) => `10.${20 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;

async function create({ site, requestId }: Buyer, cents: number, api: Target): Promise<string> {
  const { store, receivers } = site;
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const callback = `${receivers.urls[cents % receivers.urls.length]}/${store.id}/${requestId}`;
  const body = { merchant_id: store.merchantId, amount, request_id: requestId, callback_url: callback };
  const headers = { 'x-api-key': store.apiKey };
  const answer = (await post(`${api.url}/payment/crypto`, headers, body)) as { data: { trans_id: string } };
  return answer.data.trans_id;
}

async function select({ number }: Buyer, transId: string, network: string, api: Target) {
  const headers = { 'x-forwarded-for': visitorOf(number) };
  const body = { network, token: TOKEN };
  const { view } = (await post(`${api.url}/bill/${transId}/select`, headers, body)) as View;
  if (!view.quote) throw new Error(`${transId} has no quote.`);
  return view.quote;
}

async function pay({ site }: Buyer, quote: { network: string; amount: string; address: string }): Promise<string> {
  const found = findNetwork(quote.network);
  const token = found && findToken(found, TOKEN);
  const units = token && parseDecimal(quote.amount, token.decimals);
  const chain = site.chains.find(({ network }) => network === quote.network);
  if (units === undefined || !chain) throw new Error(`${quote.network} is unknown.`);
  const { anvil } = chain;
  const contract = canonicalToken(anvil.chainId, TOKEN).address;
  return payToken(anvil, { token: contract, to: quote.address as `0x${string}`, units });
}

export function startCustomers({ site, seed, clients, pauseMs }: CustomerOptions): Customers {
  const acknowledged = new Map<string, string[]>();
  const payments: Payment[] = [];
  const gaveUp: string[] = [];
  const stopping = new AbortController();
  let count = 0;

  async function createInvoice(buyer: Buyer, cents: number): Promise<string> {
    const ask = async (api: Target) => {
      const transId = await create(buyer, cents, api);
      acknowledged.set(buyer.requestId, [...(acknowledged.get(buyer.requestId) ?? []), transId]);
      return transId;
    };
    const twin = { ...buyer, number: buyer.number + 1 };
    const twins = buyer.random() < TWICE_SHARE ? [buyer, twin] : [buyer];
    const [transId = ''] = await Promise.all(twins.map((one) => insist(one, 'create', ask)));
    return transId;
  }

  async function buy(number: number): Promise<void> {
    const buyer = {
      site,
      requestId: `order-${seed}-${number}`,
      number,
      random: seededNumbers(seed * 100_000 + number),
    };
    const cents = LEAST_CENTS + Math.floor(buyer.random() * (MOST_CENTS - LEAST_CENTS));
    const transId = await createInvoice(buyer, cents);
    if (buyer.random() >= PAID_SHARE) return;
    const { network } = site.chains[Math.floor(buyer.random() * site.chains.length)] as FaultSite['chains'][number];
    const quote = await insist(buyer, 'select', (api) => select(buyer, transId, network, api));
    const tx = await pay(buyer, quote);
    payments.push({ requestId: buyer.requestId, transId, network, tx, sentAtMs: systemClock.nowMs() });
  }

  const running = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!stopping.signal.aborted && !site.signal.aborted) {
        count += 1;
        await buy(count).catch((cause: unknown) => {
          if (!(cause instanceof GaveUpError)) throw cause;
          gaveUp.push(cause.message);
        });
        await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }),
  );
  running.catch(() => stopping.abort());
  return {
    acknowledged,
    payments,
    gaveUp,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
