import { ensurePartitions } from '../../src/db/partition-sql.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { writePrices } from '../../rig/invoices/write-prices.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import { VISITOR } from '../../rig/stores/open-store.ts';
import type { Place } from './places.ts';
import { LIFETIME_MINUTES } from './places.ts';
import type { World } from './world.ts';

/** Invoices, created as merchants do and selected as customers do, with the verbs of the API. */

export type Order = {
  place: Place;
  /** The end of the invoice, in the world's time; when absent, the invoice outlives the drill. */
  endsAtMs?: number;
};

export type PlacedInvoice = { transId: string; place: Place; quote: QuoteRow; endsAtMs: number };

const PRICES = { USDT: '1', USDC: '1' };
const TOKENS = Object.keys(PRICES);
const AT_ONCE = 5;
const MAX_TRIES = 10;
const LIFETIME_MS = LIFETIME_MINUTES * 60_000;
/** How long before its end the payment method of an invoice that ends soon was selected. */
const SELECTED_BEFORE_MS = 9 * 60_000;
const LEAST_USD = 20;
const MOST_USD = 400;

type Placing = { order: Order; createdAtMs: number; selectedAtMs: number };

/**
 * The times of an order. Rows are never changed afterwards, so an invoice that ends soon is created with an earlier
 * time.
 */
function timesOf(order: Order, nowMs: number): Placing {
  const { endsAtMs } = order;
  if (endsAtMs === undefined) return { order, createdAtMs: nowMs, selectedAtMs: nowMs };
  return { order, createdAtMs: endsAtMs - LIFETIME_MS, selectedAtMs: Math.min(nowMs, endsAtMs - SELECTED_BEFORE_MS) };
}

/**
 * Creates and selects an invoice; undefined when the invoice expired in between, which is possible when its end has
 * passed.
 */
async function tryToPlace(
  world: World,
  { order, createdAtMs, selectedAtMs }: Placing,
): Promise<PlacedInvoice | undefined> {
  const { place } = order;
  const { database } = world.drill;
  const body = {
    merchant_id: place.store.merchantId,
    amount: String(LEAST_USD + Math.floor(world.random() * MOST_USD)),
    callback_url: world.callbackUrl,
  };
  const token = TOKENS[Math.floor(world.random() * TOKENS.length)] ?? '';
  const admitted = await admitStore(database, place.store);
  const transId = await createMakeInvoice(database)(admitted, createManualClock(createdAtMs), body);
  const clock = { nowMs: () => selectedAtMs, rate: world.rate };
  const choice = { transId, network: place.network, token };
  const selection = await selectPaymentMethod({ database, clock, networks: NETWORKS }, VISITOR, choice);
  const endsAtMs = createdAtMs + LIFETIME_MS;
  if (selection.selected) return { transId, place, quote: selection.quote, endsAtMs };
  if (selection.refusal === 'not-waiting' && endsAtMs < world.clock.nowMs()) return undefined;
  throw new Error(`${token} at ${place.network} was refused: ${selection.refusal}`);
}

async function placeOne(world: World, placing: Placing): Promise<PlacedInvoice> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const placed = await tryToPlace(world, placing);
    if (placed) return placed;
  }
  throw new Error('Invoices expire before they can be selected.');
}

let turn: Promise<unknown> = Promise.resolve();

/** Places orders one group after another, because all selections of a moment need the prices of that moment. */
export function placeOrders(world: World, orders: readonly Order[]): Promise<PlacedInvoice[]> {
  const placed = turn.then(async () => {
    const nowMs = world.clock.nowMs();
    const found = new Map<Order, PlacedInvoice>();
    const placings = orders.map((order) => timesOf(order, nowMs));
    for (const [selectedAtMs, group] of Map.groupBy(placings, (placing) => placing.selectedAtMs)) {
      // Invoices of the same selection have the same creation time, which may be in another month whose partitions must
      // exist.
      for (const { createdAtMs } of group.slice(0, 1))
        await ensurePartitions(world.drill.database.pool, new Date(createdAtMs));
      await writePrices(world.drill.database, new Date(selectedAtMs), PRICES);
      for (let start = 0; start < group.length; start += AT_ONCE) {
        const together = group.slice(start, start + AT_ONCE);
        await Promise.all(together.map(async (one) => found.set(one.order, await placeOne(world, one))));
      }
    }
    return orders.map((order) => found.get(order)).filter((invoice) => invoice !== undefined);
  });
  turn = placed.catch(() => undefined);
  return placed;
}

export async function readStatus(world: World, { transId }: Pick<PlacedInvoice, 'transId'>): Promise<string> {
  const { rows } = await world.drill.database.pool.query<{ status: string }>(
    'select status from invoices where trans_id = $1',
    [transId],
  );
  return rows[0]?.status ?? 'unknown';
}
