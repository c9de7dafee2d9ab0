import { parseDecimal } from '@counterfoil/core/amount.ts';
import { VISITOR } from '../../rig/stores/open-store.ts';
import { ensurePartitions } from '../../src/db/partition-sql.ts';
import type { Selection } from '../../src/invoices/select-payment-method.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { findToken } from '../../src/networks/network.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { Payment } from './driver.ts';
import { largestSum, SUMS_USD } from './rules.ts';
import type { Stores, World } from './world.ts';
import { LIFETIMES, sideOf, waitUntil } from './world.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { writePrices } from '../../rig/invoices/write-prices.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** Invoices, created as merchants do and selected as customers do, with the verbs of the API. */

export type Order = {
  network: string;
  token: string;
  amount: string;
  /** The payment method that the customer selected first and did not pay. */
  changedFrom?: { network: string; token: string };
  /** Whether no payment method is ever selected. */
  unselected?: boolean;
  /** End of the invoice, in seconds of the chains' clock; when absent, the invoice outlives the drill. */
  endsAt?: number;
  callback: boolean;
};

type MethodInput = Parameters<typeof selectPaymentMethod>[2];

export type DrillInvoice = { transId: string; order: Order; payment: Payment | undefined };

const PRICES: Record<string, string> = {
  USDT: '1',
  USDC: '1',
  ETH: '3000',
  BNB: '600',
  SOL: '150',
  TRX: '0.1',
  POL: '0.2',
  AVAX: '20',
};
const AT_ONCE = 5;
/** How long a customer tries to select a network that is not offered at the moment. */
const SELECT_MS = 60_000;
const SECOND_MS = 1_000;
/** Time from creation to selection. */
const SELECTED_AFTER_MS = 30_000;
/** How many invoices are placed with the same prices: prices grow too old while many invoices are placed. */
const PRICED_TOGETHER = 100;
const createdAtMs = (endsAt: number) => (endsAt - LIFETIMES.brief * 60) * SECOND_MS;

/**
 * Draws a customer's order: mostly a small sum, sometimes a sum so large that its network settles it by a deeper tier.
 */
export function drawOrder(world: World, position: number): Order {
  const { random, symbols } = world;
  const symbol = symbols[position % symbols.length] ?? '';
  const side = sideOf(world, symbol);
  const { network } = side;
  const coins = network.tokens.filter((token) => !token.stable);
  const stables = network.tokens.filter((token) => token.stable);
  const choices = random() < 0.8 ? stables : coins;
  const token = choices[Math.floor(random() * choices.length)]?.symbol ?? '';
  const size = random();
  const [small, middle, large] = SUMS_USD;
  const drawn = size < 0.85 ? small : size < 0.95 ? middle : large;
  const other = symbols[Math.floor(random() * symbols.length)] ?? symbol;
  const changed = random() < 0.15 && other !== symbol;
  // An invoice waits for every network that it was quoted on, so each of these networks must settle its amount within
  // the drill.
  const quotedOn = changed ? [side, sideOf(world, other)] : [side];
  const largest = Math.min(...quotedOn.map((one) => largestSum(one, world.mostSettleSeconds)));
  const amount = Math.min(drawn, largest) + Math.floor(random() * 400);
  return {
    network: symbol,
    token,
    amount: String(amount),
    callback: random() < 0.9,
    ...(changed && { changedFrom: { network: other, token: 'USDT' } }),
  };
}

/** Payment in base units, as the customer reads it on the checkout. */
function paymentOf(
  world: World,
  quote: { network: string; token: string; toAddress: string; tokenAmount: string },
): Payment {
  const { network } = sideOf(world, quote.network);
  const token = findToken(network, quote.token);
  const units = token && parseDecimal(quote.tokenAmount, token.decimals);
  if (!token || units === undefined) throw new Error(`${quote.tokenAmount} ${quote.token} cannot be paid.`);
  return { to: quote.toAddress, units, ...(token.contract !== null && { token: token.symbol }) };
}

async function inChunks<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return done;
}

type Merchants = { world: World; create: (order: Order, clock: Clock) => Promise<string> };

/** Store for an order: coins are offered for short lifetimes only. */
function storeFor(world: World, order: Order): keyof Stores {
  if (order.endsAt !== undefined) return 'brief';
  const token = findToken(sideOf(world, order.network).network, order.token);
  return token?.stable ? 'lasting' : 'hourly';
}

async function openMerchants(world: World): Promise<Merchants> {
  const { database } = world.drill;
  const makeInvoice = createMakeInvoice(database);
  const admitted = (store: TestStore) => admitStore(database, store);
  const { lasting, hourly, brief } = world.stores;
  const admissions = { lasting: await admitted(lasting), hourly: await admitted(hourly), brief: await admitted(brief) };
  return {
    world,
    create: async (order, clock) => {
      const name = storeFor(world, order);
      const body = {
        merchant_id: world.stores[name].merchantId,
        amount: order.amount,
        ...(order.callback && { callback_url: 'https://shop.example/callback' }),
      };
      return makeInvoice(admissions[name], clock, body);
    },
  };
}

/** Selects a payment method, and again while the network is behind: a stale answer makes its head look old. */
async function selectPatiently(world: World, clock: Clock, input: MethodInput): Promise<Selection> {
  const context = { networks: NETWORKS, database: world.drill.database, clock };
  let selection = await selectPaymentMethod(context, VISITOR, input);
  await waitUntil(world, SELECT_MS, async () => {
    if (selection.selected || selection.refusal !== 'network-unavailable') return true;
    selection = await selectPaymentMethod(context, VISITOR, input);
    return false;
  });
  return selection;
}

async function place(merchants: Merchants, order: Order, selectedMs: number): Promise<DrillInvoice> {
  const { world, create } = merchants;
  const transId = await create(order, { nowMs: () => selectedMs - SELECTED_AFTER_MS });
  if (order.unselected) return { transId, order, payment: undefined };
  for (const choice of [order.changedFrom, order]) {
    if (!choice) continue;
    const { network, token } = choice;
    const input = { transId, network, token };
    const clock = { nowMs: () => selectedMs, rate: world.factor };
    const selection = await selectPatiently(world, clock, input);
    // On a slow machine an invoice may end before its selection; then nothing is selected, and the invoice expires
    // unselected.
    if (!selection.selected && order.endsAt !== undefined && selection.refusal === 'not-waiting') break;
    if (!selection.selected) throw new Error(`${token} on ${network} was refused: ${selection.refusal}.`);
    if (choice === order) return { transId, order, payment: paymentOf(world, selection.quote) };
  }
  return { transId, order, payment: undefined };
}

/**
 * Creates invoices and selects their payment methods, up to a hundred invoices at one moment, because prices grow too
 * old. Invoices that end soon are created and selected with earlier times: their end is then near without a change of
 * their rows, and the rule that refuses a selection shortly before the end is still kept.
 */
export async function placeOrders(world: World, orders: readonly Order[]): Promise<DrillInvoice[]> {
  const merchants = await openMerchants(world);
  const placed: DrillInvoice[] = [];
  for (const [endsAt, together] of Map.groupBy(orders, (order) => order.endsAt)) {
    for (let start = 0; start < together.length; start += PRICED_TOGETHER) {
      const selectedMs = endsAt === undefined ? world.clock.nowMs() : createdAtMs(endsAt) + SELECTED_AFTER_MS;
      // The invoice's time may be in the previous month, whose partitions must exist.
      await ensurePartitions(world.drill.database.pool, new Date(selectedMs - SELECTED_AFTER_MS));
      // Prices are written as if two price sources had agreed on them at the moment of the selection.
      await writePrices(world.drill.database, new Date(selectedMs), PRICES);
      const part = together.slice(start, start + PRICED_TOGETHER);
      placed.push(...(await inChunks(part, (order) => place(merchants, order, selectedMs))));
    }
  }
  return placed;
}

/** Creates an invoice and tries once to select its payment method; returns the refusal, if there is one. */
export async function tryOrder(world: World, order: Order): Promise<string | undefined> {
  const nowMs = world.clock.nowMs();
  const { create } = await openMerchants(world);
  await writePrices(world.drill.database, new Date(nowMs), PRICES);
  const clock = { nowMs: () => nowMs, rate: world.factor };
  const transId = await create(order, clock);
  const { network, token } = order;
  const context = { networks: NETWORKS, database: world.drill.database, clock };
  const selection = await selectPaymentMethod(context, VISITOR, { transId, network, token });
  return selection.selected ? undefined : selection.refusal;
}

/** Hands payments to the drivers of their networks, in this order. */
export function payInvoices(world: World, invoices: readonly DrillInvoice[], more: Partial<Payment> = {}): void {
  for (const { order, payment } of invoices) {
    if (payment) sideOf(world, order.network).driver.pay([{ ...payment, ...more }]);
  }
}
