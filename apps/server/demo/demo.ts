import { once } from 'node:events';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/loop.ts';
import { DEMO_EXCHANGE } from '../rig/site/demo-exchange.ts';
import type { Demo } from '../rig/site/demo-site.ts';
import { withDemo } from '../rig/site/demo-site.ts';
import { runTerminal } from './terminal.ts';

/**
 * Runs a shop, its checkout and a wallet until Ctrl-C. `--once` buys and pays automatically and ends; `--terminal`
 * shows two invoices without a browser.
 */

const LOOK_MS = 200;
const PAID_MS = 60_000;
const ONE_OF_EACH_FAMILY = ['BSC', 'TRC20', 'SOL', DEMO_EXCHANGE];

const started = systemClock.nowMs();
const say = (text: string) =>
  console.log(`${((systemClock.nowMs() - started) / 1000).toFixed(1).padStart(7)} s  ${text}`);

function greet({ shop, apiUrl, store, trying }: Demo): void {
  console.log(`
  Shop     ${shop.url}            buy something
  Wallet   ${shop.url}/wallet     pay with a button, in a second tab
  Binance  ${shop.url}/binance    a fake one, also with a button
  Test     ${shop.url}            "Order without money" is a test store's invoice, with a test payer
  API      ${apiUrl}/docs

  Or from a terminal:

  curl ${apiUrl}/payment/crypto -H "x-api-key: ${store.apiKey}" -H "content-type: application/json" \\
    -d '{"merchant_id": "${store.merchantId}", "amount": "25.00", "request_id": "order-1"}'

  The same in the sandbox, where this amount pays itself:

  curl ${apiUrl}/payment/crypto -H "x-api-key: ${trying.apiKey}" -H "content-type: application/json" \\
    -d '{"merchant_id": "${trying.merchantId}", "amount": "25.00000001"}'

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

/** Orders in the test store, and lets its test payer pay. */
async function tryOnce({ shop, apiUrl, trying }: Demo): Promise<void> {
  const checkoutUrl = (await form(`${shop.url}/try`, {})).headers.get('location') ?? '';
  const transId = checkoutUrl.split('/').at(-1) ?? '';
  await form(`${checkoutUrl}/sandbox`, { ask: 'pay' });
  for (const until = systemClock.nowMs() + PAID_MS; systemClock.nowMs() < until;) {
    const response = await fetch(`${apiUrl}/invoice/${transId}`, { headers: { 'x-api-key': trying.apiKey } });
    const { data } = (await response.json()) as { data: { status: string } };
    if (data.status === 'completed') return say(`test invoice ${transId}: paid by the test payer`);
    await sleep(LOOK_MS, new AbortController().signal);
  }
  throw new Error('The test invoice was not paid in time.');
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
    await tryOnce(demo);
    return undefined;
  });
}
