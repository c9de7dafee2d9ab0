import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { closeServer, listen } from '../fakes/listen.ts';
import type { Merchant } from './demo-merchant.ts';
import { createMerchant } from './demo-merchant.ts';
import type { Orders } from './demo-order.ts';
import { createOrders } from './demo-order.ts';
import { EXCHANGE_SYMBOL } from './demo-exchange.ts';
import type { Payable, PayerApp } from './demo-pages.ts';
import { EXCHANGE_APP, faultPage, orderPage, payerPage, shopPage, WALLET } from './demo-pages.ts';
import type { Wallet } from './demo-wallet.ts';

/** Pages of the demo shop, and its webhook receiver. */

export type DemoShopOptions = {
  /** Base URL of the merchant API. */
  apiUrl: string;
  apiKey: string;
  merchantId: string;
  webhookSecret: string;
  /** The shop's test store. */
  trying: { apiKey: string; merchantId: string };
  wallet: Wallet;
  /** The app of the fake exchange platform. */
  exchangeApp: Wallet;
  host: string;
  port: number;
  /** Prints what happened to the terminal. */
  say: (text: string) => void;
};

export type DemoShop = { url: string; orders: Orders; close: () => Promise<void> };

const MAX_BODY_BYTES = 65_536;
const TEST_AMOUNT = '18.00';

type Answer = { status: number; headers?: Record<string, string>; body?: string };

const html = (body: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body,
});
const redirect = (location: string): Answer => ({ status: 303, headers: { location } });

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('That is too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Event = { event: string; event_id: string; request_id?: string };

type Context = DemoShopOptions & { orders: Orders; merchant: Merchant; webhook: Webhook };

async function receive({ orders, webhook, say }: Context, request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  let event: Event;
  try {
    event = webhook.verify(body, request.headers as Record<string, string>) as Event;
  } catch {
    return { status: 401 };
  }
  orders.apply(event);
  say(`order ${event.request_id ?? '?'}: the shop received ${event.event}, signature verified`);
  return { status: 204 };
}

const isAtExchange = ({ network }: Payable) => network === EXCHANGE_SYMBOL;

/** Orders that can be paid with this app. */
async function payablesOf({ merchant }: Context, app: PayerApp): Promise<Payable[]> {
  return (await merchant.payables()).filter((payable) => isAtExchange(payable) === (app === EXCHANGE_APP));
}

async function pay(context: Context, orderId: string): Promise<Answer> {
  const { orders, merchant, say } = context;
  const order = orders.find(orderId);
  const payable = order && (await merchant.payableOf(order));
  if (!payable) return html(faultPage('There is nothing to pay.'), 404);
  if (!payable.sent) {
    merchant.markSent(payable);
    const [app, send] = isAtExchange(payable)
      ? (['Binance app', context.exchangeApp] as const)
      : (['wallet', context.wallet] as const);
    const id = await send(payable);
    say(`order ${orderId}: the ${app} sent ${payable.amount} ${payable.token} on ${payable.network} in ${id}`);
  }
  return redirect(isAtExchange(payable) ? EXCHANGE_APP.path : WALLET.path);
}

/** Creates an invoice of the test store; returns the URL of its payment page, where the test payer's panel is. */
async function orderForTest({ apiUrl, trying, say }: Context): Promise<string> {
  const response = await fetch(`${apiUrl}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': trying.apiKey },
    body: JSON.stringify({ merchant_id: trying.merchantId, amount: TEST_AMOUNT }),
  });
  const { data, message } = (await response.json()) as {
    data?: { url_payment: string; trans_id: string };
    message?: string;
  };
  if (!data) throw new Error(message ?? 'The payment service refused.');
  say(`test invoice ${data.trans_id}: created in the sandbox`);
  return data.url_payment;
}

async function answer(context: Context, request: IncomingMessage): Promise<Answer> {
  const { orders, merchant } = context;
  const path = new URL(request.url ?? '/', 'http://shop').pathname;
  if (request.method === 'POST' && path === '/webhook') return receive(context, request);
  if (request.method === 'POST') {
    const form = new URLSearchParams(await readBody(request));
    if (path === '/buy') return redirect((await merchant.order(form.get('product') ?? '')).checkoutUrl);
    if (path === '/pay') return pay(context, form.get('order') ?? '');
    if (path === '/try') return redirect(await orderForTest(context));
  }
  if (path === '/') return html(shopPage(orders.all()));
  const app = [WALLET, EXCHANGE_APP].find((one) => one.path === path);
  if (app) return html(payerPage(app, await payablesOf(context, app)));
  const order = orders.find(path.replace(/^\/orders\//, ''));
  return order ? html(orderPage(order)) : html(faultPage('There is no such page.'), 404);
}

async function respond(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answer(context, request).catch((cause: unknown) =>
    html(faultPage(cause instanceof Error ? cause.message : 'Unknown fault.'), 502),
  );
  response.writeHead(status, headers).end(body);
}

export async function startDemoShop(options: DemoShopOptions): Promise<DemoShop> {
  const orders = createOrders(() => new Date());
  const server = createServer();
  // The usual port, or any free port when the usual port is taken.
  const port = await listen(server, options.port, options.host).catch(() => listen(server, 0, options.host));
  const url = `http://${options.host}:${port}`;
  const merchant = createMerchant({ ...options, orders, shopUrl: url });
  const context = { ...options, orders, merchant, webhook: new Webhook(options.webhookSecret) };
  server.on('request', (request, response) => void respond(context, request, response));
  return {
    url,
    orders,
    close: () => closeServer(server),
  };
}
