import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { sleep } from '../../src/lib/loop.ts';
import type { Site } from './site.ts';
import { postAs, requireInvoice, visitorHeaders } from './site.ts';

/**
 * A payer on the page of an invoice, while strangers who have the page's link read, select and check as often as they
 * can.
 */

const PAYER = '198.51.100.7';
const PAYER_QUERY = '?network=BSC&token=USDT';
const LOOK_MS = 250;
/** Number of reads after which the payer selects again and says "I have paid", as people do. */
const LOOKS_BETWEEN_ACTS = 20;

export type PayerSeen = { asked: number; refused: number; switches: number };

export async function openPayersPage(site: Site): Promise<string> {
  const transId = await requireInvoice(site);
  const selected = await postAs(site, PAYER, `/bill/${transId}/select`, { network: 'BSC', token: 'USDT' });
  if (!selected.ok) throw new Error(`The payer's selection answered ${selected.status}.`);
  return transId;
}

/** Requests of strangers who have the page's link, and of strangers who guess links. */
export function strangersLines(transId: string): string[] {
  return [
    `GET /bill/${transId}`,
    `GET /bill/${transId}/state`,
    'GET /bill/%C',
    'GET /bill/%C/state',
    `POST /bill/${transId}/select {"network":"ETH","token":"USDT"}`,
    `POST /bill/${transId}/select {"network":"BSC","token":"USDC"}`,
    `POST /bill/${transId}/check {"tx":"%H"}`,
  ];
}

async function readState(site: Site, path: string): Promise<CheckoutView | undefined> {
  const response = await fetch(`${site.server.url}${path}`, { headers: visitorHeaders(PAYER) });
  return response.ok ? ((await response.json()) as CheckoutView) : undefined;
}

const shownOf = (view: CheckoutView | undefined) =>
  view?.quote ? [view.quote.network, view.quote.token, view.quote.amount, view.quote.address].join(' ') : '';

/** Reads the invoice's state as the payer's page does, until `until` settles. */
export async function payUntil(site: Site, transId: string, until: Promise<unknown>): Promise<PayerSeen> {
  const stop = new AbortController();
  const over = until.finally(() => stop.abort());
  const path = `/bill/${transId}/state${PAYER_QUERY}`;
  const before = shownOf(await readState(site, path));
  if (before === '') throw new Error('The payer sees no amount.');
  const seen: PayerSeen = { asked: 0, refused: 0, switches: 0 };
  const judge = (allowed: boolean) => {
    seen.asked += 1;
    if (!allowed) seen.refused += 1;
  };
  for (let look = 0; !stop.signal.aborted; look += 1) {
    const view = await readState(site, path);
    judge(view !== undefined);
    if (view && shownOf(view) !== before) seen.switches += 1;
    if (look % LOOKS_BETWEEN_ACTS === 0) {
      judge((await fetch(`${site.server.url}/bill/${transId}${PAYER_QUERY}`, { headers: visitorHeaders(PAYER) })).ok);
      judge((await postAs(site, PAYER, `/bill/${transId}/select`, { network: 'BSC', token: 'USDT' })).ok);
      judge((await postAs(site, PAYER, `/bill/${transId}/check`, { tx: `0x${'1'.repeat(64)}` })).ok);
    }
    await sleep(LOOK_MS, stop.signal);
  }
  await over;
  return seen;
}
