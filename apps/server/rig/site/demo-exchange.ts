import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { startBinanceServer } from '../exchanges/binance-server.ts';
import type { FakeExchange } from '../exchanges/fake-exchange.ts';
import { receiveAt } from '../exchanges/receive-at.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { Wallet } from './demo-wallet.ts';

/**
 * A fake Binance: the shop receives in an exchange account there, and customers pay with a button as if with Binance's
 * app.
 */

export const DEMO_EXCHANGE = 'EXCHANGE_PAY:BINANCE';
/** The one symbol that the merchant API shows for all exchange platforms. */
export const EXCHANGE_SYMBOL = 'EXCHANGE_PAY';

const PAYER = '7****1';

export async function startDemoExchange(database: Database, store: TestStore): Promise<FakeExchange> {
  const exchange = await startBinanceServer({ clock: systemClock });
  await receiveAt({ database, clock: systemClock }, exchange, store);
  return exchange;
}

/**
 * The platform's app: sends exactly the amount that an invoice asks for, and returns the order id that the app shows.
 */
export function createExchangeApp(exchange: FakeExchange): Wallet {
  return async ({ token, amount, address }) => {
    const { id, otherId } = exchange.pay(address, { token, amount, from: PAYER });
    return otherId ?? id;
  };
}
