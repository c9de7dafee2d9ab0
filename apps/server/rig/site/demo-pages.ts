import type { Order } from './demo-order.ts';
import { PRODUCTS } from './demo-order.ts';

/** Pages of the demo: a shop and a wallet. All inserted text is escaped. */

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd6cc, #3d3830); --soft: light-dark(#f6f2ec, #201d19); --ink: light-dark(#2b2520, #efe9e0); --accent: light-dark(#7a3e12, #e0a070); --on: light-dark(#fff, #201d19); --good: light-dark(#146c43, #5fd19b); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#fffdfa, #171411); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; padding: 20px 24px; border-block-end: 1px solid var(--line); }
header b { font-size: 1.25rem; } header a { color: inherit; margin-inline-start: auto; } header a + a { margin-inline-start: 0; }
main { max-width: 960px; margin: 0 auto; padding: 24px; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 8px 0 20px; }
.shelf { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); }
.card { border: 1px solid var(--line); border-radius: 14px; background: var(--soft); padding: 20px; display: flex; flex-direction: column; gap: 8px; }
.card h2 { font-size: 1.1rem; margin: 0; } .card p { margin: 0; flex: 1; }
.price { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
button, .button { font: inherit; font-weight: 600; min-height: 44px; padding: 10px 18px; border: 0; border-radius: 10px; background: var(--accent); color: var(--on); cursor: pointer; text-decoration: none; display: inline-block; }
button:focus-visible, .button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 16px; margin: 0 0 20px; } dt { opacity: .75; } dd { margin: 0; overflow-wrap: anywhere; }
.state { display: inline-block; padding: 2px 12px; border-radius: 99px; border: 1px solid currentColor; } .paid { color: var(--good); }
.empty { padding: 40px; text-align: center; border: 1px dashed var(--line); border-radius: 14px; }
code { font-size: .9em; overflow-wrap: anywhere; }`;

function page(title: string, body: string, refreshSeconds?: number): string {
  const refresh = refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${escape(title)}</title><style>${STYLE}</style></head><body>
<header><b>Slow Cup</b><span>a demo shop; nothing here is real money</span><a href="/">Shop</a><a href="/wallet">Demo wallet</a><a href="/binance">Fake Binance app</a></header>
<main>${body}</main></body></html>`;
}

/** The page of the shop's test store: nothing is sold there. */
const TEST_STORE = `<h1>The test store</h1><div class="shelf"><form class="card" method="post" action="/try"><h2>A test order</h2>
<p>The same shop in the sandbox: its payment page has a test payer who pays, fails and is late at your command.</p>
<span class="price">$18.00</span><button>Order without money</button></form></div>`;

export function shopPage(orders: readonly Order[]): string {
  const shelf = PRODUCTS.map(
    (
      product,
    ) => `<form class="card" method="post" action="/buy"><h2>${escape(product.name)}</h2><p>${escape(product.text)}</p>
<span class="price">$${escape(product.amount)}</span><button name="product" value="${escape(product.id)}">Buy with crypto</button></form>`,
  ).join('');
  const past =
    orders.length === 0 ? '' : `<h1>Your orders</h1><div class="shelf">${orders.map(orderCard).join('')}</div>`;
  return page('Slow Cup', `<h1>What would you like?</h1><div class="shelf">${shelf}</div>${past}${TEST_STORE}`);
}

const STATES: Record<Order['status'], string> = {
  open: 'waiting for payment',
  paid: 'paid',
  expired: 'not paid in time',
};

function orderCard(order: Order): string {
  return `<div class="card"><h2>${escape(order.product)}</h2><p>$${escape(order.amount)}</p>
<span><span class="state ${order.status}">${STATES[order.status]}</span></span><a href="/orders/${escape(order.id)}">Order ${escape(order.id)}</a></div>`;
}

const REFRESH_SECONDS = 2;

export function orderPage(order: Order): string {
  const events = order.events
    .map(
      ({ name, at }) => `<dt>${at.toISOString().slice(11, 19)}</dt><dd>signed event <code>${escape(name)}</code></dd>`,
    )
    .join('');
  const pay =
    order.status === 'open' ? `<a class="button" href="${escape(order.checkoutUrl)}">Go to the payment page</a>` : '';
  const body = `<h1>${order.status === 'paid' ? 'Thank you. It is on its way.' : escape(order.product)}</h1>
<dl><dt>Order</dt><dd>${escape(order.id)}</dd><dt>Item</dt><dd>${escape(order.product)}</dd><dt>Amount</dt><dd>$${escape(order.amount)}</dd>
<dt>State</dt><dd><span class="state ${order.status}">${STATES[order.status]}</span></dd>${events}</dl>${pay}`;
  return page(`Order ${order.id}`, body, order.status === 'open' ? REFRESH_SECONDS : undefined);
}

/** An order that can be paid now: its customer has selected a payment method. */
export type Payable = { order: Order; token: string; network: string; amount: string; address: string; sent: boolean };

/** A wallet or app that a customer pays with. */
export type PayerApp = {
  path: string;
  title: string;
  button: string;
  /** Where a payment goes, in words. */
  placeOf: (payable: Payable) => string;
  /** What the customer must choose on the payment page to pay with this app, in words. */
  choice: string;
};

export const WALLET: PayerApp = {
  path: '/wallet',
  title: 'A wallet full of test tokens',
  button: 'Send exactly this',
  placeOf: ({ network }) => `on ${network}`,
  choice: 'a token and a network',
};

export const EXCHANGE_APP: PayerApp = {
  path: '/binance',
  title: 'A fake Binance app',
  button: 'Pay with the Binance app',
  placeOf: () => 'to the Binance ID',
  choice: 'Binance',
};

export function payerPage(app: PayerApp, payables: readonly Payable[]): string {
  const cards = payables.map((payable) => {
    const { order, token, amount, address, sent } = payable;
    return `<form class="card" method="post" action="/pay">
<h2>${escape(order.product)}</h2><p>${escape(amount)} ${escape(token)} ${escape(app.placeOf(payable))}<br><code>${escape(address)}</code></p>
${sent ? '<span class="state paid">sent</span>' : `<button name="order" value="${escape(order.id)}">${app.button}</button>`}</form>`;
  });
  const empty = `<div class="empty">Nothing to pay yet. Buy something, choose ${app.choice} on the payment page, then come back here.</div>`;
  return page(
    app.title,
    `<h1>${app.title}</h1>${cards.length === 0 ? empty : `<div class="shelf">${cards.join('')}</div>`}`,
    REFRESH_SECONDS,
  );
}

export function faultPage(text: string): string {
  return page(
    'Slow Cup',
    `<h1>That did not work</h1><p>${escape(text)}</p><a class="button" href="/">Back to the shop</a>`,
  );
}
