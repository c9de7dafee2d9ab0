import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import type { Send, Sent, Traffic } from '../../rig/requests/steady-traffic.ts';
import { browse, sendCreation, startTraffic } from '../../rig/requests/steady-traffic.ts';
import type { Shop } from './merchant.ts';
import type { Site } from './site.ts';
import { NETWORK, TOKEN } from './site.ts';

/** Traffic during the drill: invoices are created, looked up, opened and paid, and the dashboard is visited. */

export type Trade = {
  /** Everything that was sent so far. */
  sent(): Sent[];
  /** Ids of the invoices that were paid. */
  paid: Set<string>;
  /** Starts clients that create invoices until the returned function is called. */
  crowd(name: string): () => Promise<void>;
  stop(): Promise<void>;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const BROWSERS = { clients: 2, pauseMs: 100 };
/** One payment a second: a network address may choose a payment method 120 times a minute. */
const BUYERS = { clients: 2, pauseMs: 500 };
const VISITORS = { clients: 1, pauseMs: 250 };
const CROWD = { clients: 8, pauseMs: 100 };

/** Creates an invoice, opens its page, selects a payment method and pays; then looks the invoice up. */
async function buy({ site, shop, paid }: Trading, send: Send, requestId: string): Promise<void> {
  const { api, checkout, store, callbackUrl } = shop;
  const transId = await sendCreation(shop, send, requestId, { callback_url: callbackUrl });
  if (transId === undefined) return;
  await send({ method: 'GET', ask: () => checkout.ask({ path: `/bill/${transId}` }) });
  const body = JSON.stringify({ network: NETWORK, token: TOKEN });
  const select = () => checkout.ask({ method: 'POST', path: `/bill/${transId}/select`, headers: JSON_TYPE, body });
  const selected = await send({ method: 'POST', ask: select });
  const view = selected && (JSON.parse(selected.text) as { view?: CheckoutView }).view;
  if (!view?.quote?.injected) return;
  const { to, unitsHex } = view.quote.injected;
  await site.pay(to, BigInt(unitsHex));
  paid.add(transId);
  await send({
    method: 'GET',
    ask: () => api.ask({ path: `/invoice/${transId}`, headers: { 'x-api-key': store.apiKey } }),
  });
}

type Trading = { site: Site; shop: Shop; paid: Set<string> };

export function startTrade(site: Site, shop: Shop): Trade {
  const paid = new Set<string>();
  const all: Traffic[] = [
    startTraffic({ name: 'browse', ...BROWSERS, live: (send, requestId) => browse(shop, send, requestId) }),
    startTraffic({ name: 'buy', ...BUYERS, live: (send, requestId) => buy({ site, shop, paid }, send, requestId) }),
    startTraffic({
      name: 'visit',
      ...VISITORS,
      live: async (send) => void (await send({ method: 'GET', ask: () => shop.dashboard.ask({ path: '/sign-in' }) })),
    }),
  ];
  return {
    sent: () => all.flatMap(({ sent }) => sent),
    paid,
    crowd: (name) => {
      const traffic = startTraffic({
        name,
        ...CROWD,
        live: async (send, requestId) => void (await sendCreation(shop, send, requestId)),
      });
      all.push(traffic);
      return () => traffic.stop();
    },
    stop: async () => void (await Promise.all(all.map((traffic) => traffic.stop()))),
  };
}
