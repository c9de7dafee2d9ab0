import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { Address } from 'viem';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { systemClock } from '../../src/lib/clock.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { Book } from './book.ts';
import type { Payer } from './payer.ts';
import type { Shop } from './shop.ts';

/** What merchants' servers and customers' browsers do for each life, over HTTP: create, open the page, select. */

export type Buyers = {
  /** Begins lives for a time: as fast as they end, or at a rate. */
  shop(options: { forMs: number; perSecond?: number }): Promise<void>;
  beginLife(): void;
  close(): Promise<void>;
};

export type BuyersOptions = {
  apiUrl: string;
  stores: readonly TestStore[];
  shop: Shop;
  payer: Payer;
  book: Book;
  /** Most concurrent lives. */
  mostInFlight: number;
  onFault: (cause: unknown) => void;
};

const NETWORK = 'BSC';
const TOKEN = 'USDT';
/** Most concurrent lives between creation and selection. */
const MOST_SHOPPING = 64;
const TICK_MS = 5;
/** Amounts go from 5 to 99.99 USD in steps of a cent. */
const CENTS_LEAST = 500;
const CENTS_SPAN = 9_500;
/** A step through the amounts that shares no factor with their number, so that neighbours differ. */
const CENTS_STEP = 2_371;
const DESCRIPTION = 'An order of several things, described at the length that shops use.';

const amountOf = (number: number) => ((CENTS_LEAST + ((number * CENTS_STEP) % CENTS_SPAN)) / 100).toFixed(2);
/** Every life has a visitor of its own, as the checkout sees it behind a proxy. */
const visitorOf = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

async function expectOk(response: Dispatcher.ResponseData, what: string): Promise<Dispatcher.ResponseData['body']> {
  if (response.statusCode === 200) return response.body;
  throw new Error(`${what} answered ${response.statusCode}: ${await response.body.text()}`);
}

export function createBuyers(options: BuyersOptions): Buyers {
  const { stores, shop, payer, book } = options;
  const http = new Pool(options.apiUrl, { connections: MOST_SHOPPING });
  let shopping = 0;
  let number = 0;

  async function create(store: TestStore, mine: number): Promise<string> {
    const body = JSON.stringify({
      merchant_id: store.merchantId,
      amount: amountOf(mine),
      request_id: `order-${mine}`,
      name: `Order ${mine}`,
      description: DESCRIPTION,
      callback_url: shop.callbackUrl(store.id),
    });
    const headers = { 'content-type': 'application/json', 'x-api-key': store.apiKey };
    const response = await http.request({ method: 'POST', path: '/payment/crypto', headers, body });
    const { data } = (await (await expectOk(response, 'create')).json()) as { data: { trans_id: string } };
    return data.trans_id;
  }

  async function openPage(transId: string, visitor: string): Promise<void> {
    const headers = { 'x-forwarded-for': visitor, accept: 'text/html', 'accept-encoding': 'gzip, deflate, br' };
    const response = await http.request({ method: 'GET', path: `/bill/${transId}`, headers });
    await (await expectOk(response, 'page')).arrayBuffer();
  }

  async function select(transId: string, visitor: string): Promise<CheckoutView> {
    const headers = { 'x-forwarded-for': visitor, 'content-type': 'application/json', accept: 'application/json' };
    const body = JSON.stringify({ network: NETWORK, token: TOKEN });
    const response = await http.request({ method: 'POST', path: `/bill/${transId}/select`, headers, body });
    return ((await (await expectOk(response, 'select')).json()) as { view: CheckoutView }).view;
  }

  async function live(mine: number): Promise<void> {
    const store = stores[mine % stores.length];
    if (!store) throw new Error('There is no store.');
    const transId = await create(store, mine);
    book.created(transId);
    const visitor = visitorOf(mine);
    await openPage(transId, visitor);
    const { quote } = await select(transId, visitor);
    // The page hands this call to the browser's wallet.
    const call = quote?.injected;
    if (!call || call.contract === null) throw new Error(`${transId} has no quote in tokens.`);
    payer.pay({ transId, token: call.contract as Address, to: call.to as Address, units: BigInt(call.unitsHex) });
  }

  function beginLife(): void {
    book.begin();
    shopping += 1;
    number += 1;
    live(number)
      .catch(options.onFault)
      .finally(() => (shopping -= 1));
  }

  const hasPlace = () => shopping < MOST_SHOPPING && book.inFlight() < options.mostInFlight;

  return {
    beginLife,
    shop: async ({ forMs, perSecond }) => {
      const startedAtMs = systemClock.nowMs();
      const firstNumber = number;
      const isDue = () => {
        if (perSecond === undefined) return true;
        return number - firstNumber < (perSecond * (systemClock.nowMs() - startedAtMs)) / 1000;
      };
      while (systemClock.nowMs() - startedAtMs < forMs) {
        while (hasPlace() && isDue()) beginLife();
        await wait(TICK_MS);
      }
    },
    close: () => http.close(),
  };
}
