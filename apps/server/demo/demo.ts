import { once } from 'node:events';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/loop.ts';
import { DEMO_EXCHANGE } from '../rig/site/demo-exchange.ts';
import type { Demo } from '../rig/site/demo-site.ts';
import { withDemo } from '../rig/site/demo-site.ts';
import { runTerminal } from './terminal.ts';

/**
 * Runs a shop, its checkout and a wallet until Ctrl-C. `--once` buys and pays by itself and ends; `--terminal` shows
 * two invoices without a browser.
 */

const LOOK_MS = 200;
const PAID_MS = 60_000;
const ONE_OF_EACH_FAMILY = ['BSC', 'TRC20', 'SOL', DEMO_EXCHANGE];

const started = systemClock.nowMs();
const say = (text: string) =>
  console.log(`${((systemClock.nowMs() - started) / 1000).toFixed(1).padStart(7)} s  ${text}`);

function greet({ shop, apiUrl, store }: Demo): void {
  console.log(`
  Shop     ${shop.url}            buy something
  Wallet   ${shop.url}/wallet     pay with a button, in a second tab
  Binance  ${shop.url}/binance    a fake one, also with a button
  API      ${apiUrl}/docs

  Or from a terminal:

  curl ${apiUrl}/payment/crypto -H "x-api-key: ${store.apiKey}" -H "content-type: application/json" \\
    -d '{"merchant_id": "${store.merchantId}", "amount": "25.00", "request_id": "order-1"}'

  Ctrl-C ends everything and leaves nothing behind.
`);
}

const form = (path: string, fields: Record<string, string>) =>
  fetch(path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });

/** Buys as a person does, by HTTP: orders, selects, pays, and waits until the shop has the event. */
async function buyOnce({ shop }: Demo, network: string): Promise<void> {
  const bought = await form(`${shop.url}/buy`, { product: 'beans' });
  const checkoutUrl = bought.headers.get('location') ?? '';
  const [order] = shop.orders.all();
  if (!order) throw new Error('Nothing was ordered.');
  const page = await fetch(checkoutUrl);
  if (!page.ok) throw new Error(`The checkout answered ${page.status}.`);
  const selected = await form(`${checkoutUrl}/select`, { network, token: 'USDT' });
  if (selected.status !== 303) throw new Error(`The selection answered ${selected.status}.`);
  await form(`${shop.url}/pay`, { order: order.id });
  for (const until = systemClock.nowMs() + PAID_MS; systemClock.nowMs() < until;) {
    if (order.status === 'paid') return say(`order ${order.id}: paid, as the shop knows from a signed event`);
    await sleep(LOOK_MS, new AbortController().signal);
  }
  throw new Error(`The order on ${network} was not paid in time.`);
}

async function untilInterrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  console.log('\n  Taking everything down.');
}

if (process.argv.includes('--terminal')) await runTerminal();
else {
  await withDemo(say, async (demo) => {
    greet(demo);
    if (!process.argv.includes('--once')) return untilInterrupted();
    for (const network of ONE_OF_EACH_FAMILY) await buyOnce(demo, network);
    return undefined;
  });
}
