import { chainUnits } from '../../src/quotes/quote.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { findNetwork } from '../chains/networks.ts';
import { findToken } from '../../src/networks/network.ts';
import { payNative, payToken } from '../chains/evm/payment.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { chainOf, fail } from './engine-fixture.ts';
import { admitStore } from '../stores/admit-store.ts';
import { createMakeInvoice } from './make-invoice.ts';
import { makeCurrent, selectCurrent } from './select-current.ts';
import { writePrices } from './write-prices.ts';

/** Invoices as the API makes them, payment methods as customers select them, and payments on the node. */

/** Stores current prices on which two sources agree. */
export async function setPrices(
  engine: Pick<EngineFixture, 'database' | 'clock'>,
  prices: Record<string, string> = {},
): Promise<void> {
  const all = { USDT: '1', USDC: '1', ETH: '3000', BNB: '600', ...prices };
  await writePrices(engine.database, new Date(engine.clock.nowMs()), all);
}

/** Creates an invoice by the verb that the API calls. */
export async function newInvoice(
  engine: Pick<EngineFixture, 'as' | 'clock'>,
  owner: TestStore,
  amount = '50',
  more: Record<string, string> = {},
): Promise<string> {
  const store = await admitStore(engine.as('api'), owner);
  const body = { merchant_id: owner.merchantId, amount, callback_url: 'https://shop.example/callback', ...more };
  return createMakeInvoice(engine.as('api'))(store, engine.clock, body);
}

export async function select(
  engine: EngineFixture,
  transId: string,
  network = 'BSC',
  token = 'USDT',
): Promise<QuoteRow> {
  await setPrices(engine);
  return selectCurrent(engine, { transId, network, token }, async () => {
    await makeCurrent(engine, network);
    await setPrices(engine);
  });
}

/** Base units that a quote asks for. */
export function unitsOf(quote: QuoteRow): bigint {
  const network = findNetwork(quote.network);
  const token = network && findToken(network, quote.token);
  if (!token) throw new Error(`${quote.token} on ${quote.network} is unknown.`);
  return chainUnits(quote.displayUnits, token);
}

/** Puts a quote's payment into the pool; mines nothing. */
export async function pay(engine: EngineFixture, quote: QuoteRow, units = unitsOf(quote)): Promise<string> {
  const { anvil } = chainOf(engine, quote.network);
  const to = quote.toAddress as `0x${string}`;
  const contract = findToken(findNetwork(quote.network) ?? fail(), quote.token)?.contract;
  return contract ? payToken(anvil, { token: contract as `0x${string}`, to, units }) : payNative(anvil, { to, units });
}

/** Occupies all free amounts from `base` on, except those in `spare`. */
export async function fillAmounts(
  engine: Pick<EngineFixture, 'database'>,
  { network, token, toAddress }: Pick<QuoteRow, 'network' | 'token' | 'toAddress'>,
  band: { base: bigint; salts: number; spare?: readonly bigint[] },
): Promise<void> {
  await engine.database.pool.query(
    `insert into amount_slots (network, token, address, display_units, quote_id)
     select $1, $2, $3, units, 0 from generate_series($4::bigint, $4::bigint + $5) units on conflict do nothing`,
    [network, token, toAddress, band.base, band.salts],
  );
  await engine.database.pool.query('delete from amount_slots where quote_id = 0 and display_units = any($1)', [
    band.spare ?? [],
  ]);
}
