import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { drawQrCode } from '@counterfoil/checkout/render-page';
import type { FastifyInstance } from 'fastify';
import { demandAccount } from '../accounts/demand-account.ts';
import { namePayment } from '../invoices/name-payment.ts';
import { createBatcher } from '../lib/batch.ts';
import { remember } from '../lib/bounded-map.ts';
import { systemClock } from '../lib/clock.ts';
import type { Turnstile } from '../lib/turnstile.ts';
import { createTurnstile } from '../lib/turnstile.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { Inspectors } from '../sources/inspected-transaction.ts';
import type { CheckExchangePayment } from './check-exchange-payment.ts';
import { createCheckExchangePayment } from './check-exchange-payment.ts';
import type { CheckTransaction } from './check-transaction.ts';
import { createCheckTransaction } from './check-transaction.ts';
import type { CheckoutFacts } from './checkout-facts-sql.ts';
import { readCheckoutFacts } from './checkout-facts-sql.ts';
import type { Pages } from './checkout-page.ts';
import { createPages } from './checkout-page.ts';
import { viewCheckout } from './checkout-view.ts';
import { findExchangePayments } from './exchange-payment-sql.ts';
import type { Watching } from './live-views.ts';
import { createWatching } from './live-views.ts';
import type { Surroundings } from './network-conditions.ts';
import { createReadSurroundings } from './network-conditions.ts';
import type { PageAddress } from './page-address.ts';
import type { PageAssets } from './page-assets.ts';
import type { TakePageTurn } from './page-turns.ts';
import { createPageTurns } from './page-turns.ts';
import type { ViewerLimits } from './viewers.ts';
import type { VisitorLimits } from './visitor-limits.ts';
import { createVisitorLimits } from './visitor-limits.ts';

/** Dependencies of the checkout routes, made once per process. */

export type CheckoutOptions = NetworksContext & {
  checkoutUrl: string;
  assets: PageAssets;
  viewers: ViewerLimits;
  /** Networks with an inspector; others answer `unavailable`. */
  inspect: Inspectors;
};

export const STRANGER = { kind: 'stranger' } as const;

const MAX_QR_CODES = 5_000;
const MAX_ASKS = 128;
const MAX_RUNNING = 2;
/** Most refused visitors that may wait. */
const MAX_REFUSED = 2_000;

export type CheckoutContext = CheckoutOptions & {
  pages: Pages;
  limits: VisitorLimits;
  takePageTurn: TakePageTurn;
  refusals: Turnstile;
  watching: Watching;
  checkTransaction: CheckTransaction;
  checkExchangePayment: CheckExchangePayment;
  findFacts: (transId: string) => Promise<CheckoutFacts | undefined>;
  view: (facts: CheckoutFacts, address: PageAddress) => Promise<CheckoutView>;
};

export function createCheckoutContext(app: FastifyInstance, options: CheckoutOptions): CheckoutContext {
  const { database, clock, networks } = options;
  const { pathname } = new URL(options.checkoutUrl);
  const basePath = pathname === '/' ? '' : pathname;
  // A store has few addresses, and its invoices have many viewers.
  const drawQrCodeOnce = remember(drawQrCode, { max: MAX_QR_CODES });
  const readSurroundings = createReadSurroundings(database, clock);
  const viewIn = (facts: CheckoutFacts, surroundings: Surroundings, address: PageAddress) =>
    viewCheckout({
      networks,
      facts,
      surroundings,
      nowMs: clock.nowMs(),
      drawQrCode: drawQrCodeOnce,
      basePath,
      address,
    });
  return {
    ...options,
    pages: createPages(options.assets, basePath, systemClock),
    limits: createVisitorLimits(clock),
    takePageTurn: createPageTurns(),
    refusals: createTurnstile(MAX_REFUSED),
    checkTransaction: createCheckTransaction({
      networks,
      inspect: options.inspect,
      clock,
      steadyClock: systemClock,
      readHeads: async () => {
        const { chains } = await readSurroundings();
        return (network) => chains.get(network)?.headHeight;
      },
      name: (request) => namePayment({ database }, STRANGER, request),
    }),
    checkExchangePayment: createCheckExchangePayment({
      networks,
      clock,
      steadyClock: systemClock,
      find: (accounts, id) => findExchangePayments(database.queries, accounts, id),
      demand: (demand) => demandAccount({ database }, STRANGER, demand),
    }),
    watching: createWatching({
      pool: database.pool,
      clock,
      steadyClock: systemClock,
      log: app.log,
      readFacts: (transIds) => readCheckoutFacts(database.pool, transIds),
      readSurroundings,
      view: viewIn,
      limits: options.viewers,
    }),
    findFacts: createBatcher<string, CheckoutFacts | undefined>({
      run: (transIds) => readCheckoutFacts(database.pool, transIds),
      maxAsks: MAX_ASKS,
      maxRunning: MAX_RUNNING,
    }),
    view: async (facts, address) => viewIn(facts, await readSurroundings(), address),
  };
}
