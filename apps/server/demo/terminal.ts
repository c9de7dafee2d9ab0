import type { Database } from '../src/db/database.ts';
import { withDrillDatabase } from '../rig/database/drill-database.ts';
import type { Clock } from '../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/loop.ts';
import type { Anvil } from '../rig/chains/evm/anvil.ts';
import { payToken } from '../rig/chains/evm/payment.ts';
import { canonicalToken } from '../rig/chains/evm/token.ts';
import { priceSettings, startPriceServers } from '../rig/fakes/price-servers.ts';
import type { TestStore } from '../rig/stores/open-store.ts';
import { openStore } from '../rig/stores/open-store.ts';
import { startApi, startWorker } from '../rig/processes/server-process.ts';
import { waitUntilPayable } from '../rig/site/site-processes.ts';
import { startLiveChain } from '../rig/chains/evm/live-chain.ts';
import { selectMethod } from '../rig/invoices/select-method.ts';

/**
 * Shows two invoices in a terminal: one is paid on a real node and completes, one is not paid and expires. Time runs
 * thirty times as fast, for the clocks and for the chain, so that ten minutes pass in twenty seconds.
 */

const RATE = 30;
const LIFETIME_MINUTES = 10;
const POLL_MS = 200;
const MAX_WAIT_MS = 90_000;
const BSC = 56;
const UNITS_PER_DISPLAY_UNIT = 10n ** 12n;

const started = systemClock.nowMs();
const say = (text: string) =>
  console.log(`${((systemClock.nowMs() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);

type Api = { url: string; store: TestStore };

async function call(api: Api, path: string, body?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const response = await fetch(`${api.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': api.store.apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { status: string; message?: string; data: Record<string, unknown> };
  if (answer.status !== 'success') throw new Error(answer.message);
  return answer.data;
}

async function create(api: Api, orderId: string): Promise<string> {
  const data = await call(api, '/payment/crypto', {
    merchant_id: api.store.merchantId,
    amount: '25.00',
    request_id: orderId,
    callback_url: 'https://shop.example/callback',
  });
  say(
    `${orderId}: invoice ${String(data['trans_id'])} over ${String(data['amount'])} USD is ${String(data['status'])}`,
  );
  return String(data['trans_id']);
}

/** Prints every change of status until `last` is reached. */
async function watch(api: Api, orderId: string, transId: string, last: string): Promise<Record<string, unknown>> {
  let status = 'waiting';
  const until = systemClock.nowMs() + MAX_WAIT_MS;
  while (systemClock.nowMs() < until) {
    const data = await call(api, `/invoice/${transId}`);
    if (data['status'] !== status) say(`${orderId}: ${status} -> ${String(data['status'])}`);
    status = String(data['status']);
    if (status === last) return data;
    await sleep(POLL_MS, new AbortController().signal);
  }
  throw new Error(`${orderId} did not become ${last}.`);
}

async function run(api: Api, anvil: Anvil, clock: Clock, database: Database): Promise<void> {
  const paid = await create(api, 'order-1');
  const unpaid = await create(api, 'order-2');
  for (const [orderId, transId] of [
    ['order-1', paid],
    ['order-2', unpaid],
  ] as const) {
    const quote = await selectMethod({ database, clock }, { transId, network: 'BSC', token: 'USDT' });
    say(`${orderId}: send exactly ${quote.tokenAmount} ${quote.token} on ${quote.network} to ${quote.toAddress}`);
    if (transId !== paid) continue;
    const { address } = canonicalToken(BSC, 'USDT');
    const units = quote.displayUnits * UNITS_PER_DISPLAY_UNIT;
    const hash = await payToken(anvil, { token: address, to: quote.toAddress as `0x${string}`, units });
    say(`${orderId}: paid in ${hash}`);
  }
  const completed = await watch(api, 'order-1', paid, 'completed');
  say(`order-1: transaction ${String(completed['transaction_hash'])}, fee ${String(completed['fee_amount'])} USD`);
  await watch(api, 'order-2', unpaid, 'expired');
  const { rows } = await database.pool.query<{ body: string }>('select body from events order by id');
  for (const { body } of rows) say(`event for the merchant: ${body}`);
}

/** Runs the demonstration; its fake price servers use the same fast clock. */
export async function runTerminal(): Promise<void> {
  const clock = createPacedClock(systemClock, { rate: RATE, fromMs: started });
  const prices = await startPriceServers(clock);
  const anvil = await startLiveChain({ chainId: BSC, slotsInAnEpoch: 4, rate: RATE });
  try {
    say('a BSC node with test tokens makes a block every second');
    await withDrillDatabase(async ({ url, database }) => {
      const settings = { COUNTERFOIL_CLOCK_PACE: `${RATE}@${started}`, COUNTERFOIL_LOG_LEVEL: 'warn' };
      const api = await startApi(url, settings);
      const worker = await startWorker(url, {
        ...settings,
        COUNTERFOIL_RPC_BSC: anvil.url,
        COUNTERFOIL_POLL_MS: '100',
        ...priceSettings(prices),
      });
      try {
        const store = await openStore(database, { lifetimeMinutes: LIFETIME_MINUTES, clock });
        say(`API at ${api.url}, worker, store ${store.merchantId} with a wallet and a balance`);
        await waitUntilPayable(database, 1, ['USDT']);
        await run({ url: api.url, store }, anvil, clock, database);
      } finally {
        await Promise.all([api.stop(), worker.stop()]);
      }
    });
  } finally {
    await Promise.all([anvil.stop(), prices.close()]);
  }
}
