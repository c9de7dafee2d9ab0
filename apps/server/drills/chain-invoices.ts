import type { Address } from 'viem';
import { pino } from 'pino';
import { ensurePartitions } from '../src/db/partition-store.ts';
import { createInsertInvoice, createInvoice } from '../src/invoices/create-invoice.ts';
import { selectPaymentMethod } from '../src/invoices/select-payment-method.ts';
import { parseDecimal } from '../src/lib/amount.ts';
import type { Clock } from '../src/lib/clock.ts';
import { systemClock } from '../src/lib/clock.ts';
import { admitAll } from '../src/stores/admission-store.ts';
import { hashApiKey } from '../src/stores/api-key.ts';
import { canonicalTokens } from '../test/chain/token.ts';
import type { Payment } from './chain-driver.ts';
import type { Symbol, World } from './chain-world.ts';
import { LIFETIMES, SYMBOLS } from './chain-world.ts';

/** Invoices as merchants create them and customers select for them: by the verbs of the API. */

export type Order = {
  network: Symbol;
  token: string;
  amount: string;
  /** Selected first, and not paid: the customer changed their mind. */
  changedFrom?: { network: Symbol; token: string };
  /** Nobody ever selects anything. */
  unselected?: boolean;
  /** Ends at this second; otherwise it outlives the drill. */
  endsAt?: number;
  callback: boolean;
};

export type DrillInvoice = { transId: string; order: Order; payment: Payment | undefined };

const COINS: Record<Symbol, string> = { BSC: 'BNB', ETH: 'ETH' };
const COIN_DECIMALS = 18;
const PRICES: Record<string, string> = { USDT: '1', USDC: '1', ETH: '3000', BNB: '600' };
const AT_ONCE = 5;
const SECOND_MS = 1_000;
/** Customers select half a minute after the invoice was made. */
const SELECTED_AFTER_MS = 30_000;
/** Prices grow old while many invoices are placed. */
const PRICED_TOGETHER = 100;
const createdAtMs = (endsAt: number) => (endsAt - LIFETIMES.brief * 60) * SECOND_MS;
const log = pino({ level: 'silent' });

/** Small sums mostly; on Ethereum some that need the deeper tiers. */
export function drawOrder(random: () => number, position: number): Order {
  const network = SYMBOLS[position % SYMBOLS.length] ?? 'BSC';
  const other = network === 'BSC' ? 'ETH' : 'BSC';
  const kind = random();
  const token = kind < 0.45 ? 'USDT' : kind < 0.8 ? 'USDC' : COINS[network];
  const size = random();
  const dollars = 20 + Math.floor(random() * 400);
  const amount = size < 0.85 ? dollars : size < 0.95 ? dollars + 1_500 : dollars + 12_000;
  const changed = random() < 0.15;
  return {
    network,
    token,
    amount: String(amount),
    callback: random() < 0.9,
    ...(changed && { changedFrom: { network: other, token: 'USDT' } }),
  };
}

/** Two sources agree, at the moment at which somebody selects. */
async function setPrices(world: World, clock: Clock): Promise<void> {
  const at = new Date(clock.nowMs());
  const rows = Object.entries(PRICES).flatMap(([token, usd]) =>
    ['kraken', 'coinbase'].map((source) => ({ source, token, usd })),
  );
  await world.drill.database.pool.query(
    `insert into price_reports (source, token, usd, observed_at)
     select source, token, usd, $4 from unnest($1::text[], $2::text[], $3::numeric[]) as r (source, token, usd)
     on conflict (source, token) do update set usd = excluded.usd, observed_at = excluded.observed_at`,
    [rows.map((row) => row.source), rows.map((row) => row.token), rows.map((row) => row.usd), at],
  );
}

/** What a customer reads off the checkout, in base units of the rig's own token list. */
function paymentOf(world: World, quote: { network: string; token: string; toAddress: string; tokenAmount: string }) {
  const side = world.sides[quote.network as Symbol];
  const token = canonicalTokens(side.anvil.chainId).find(({ symbol }) => symbol === quote.token);
  const units = parseDecimal(quote.tokenAmount, token?.decimals ?? COIN_DECIMALS);
  if (units === undefined) throw new Error(`${quote.tokenAmount} ${quote.token} cannot be paid.`);
  return { to: quote.toAddress as Address, units, ...(token && { token: token.address }) };
}

async function inChunks<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return done;
}

type Desk = { world: World; create: (order: Order, clock: Clock) => Promise<string> };

async function openDesk(world: World): Promise<Desk> {
  const { database } = world.drill;
  const insertInvoice = createInsertInvoice(database);
  const admitted = async (store: World['stores']['brief']) => {
    const [admission] = await admitAll(database.pool, 'create', [
      { keyHash: hashApiKey(store.apiKey), address: 'drill' },
    ]);
    if (!admission?.store) throw new Error('A store was not admitted.');
    return admission.store;
  };
  const lasting = await admitted(world.stores.lasting);
  const brief = await admitted(world.stores.brief);
  return {
    world,
    create: async (order, clock) => {
      const store = order.endsAt === undefined ? world.stores.lasting : world.stores.brief;
      const body = {
        merchant_id: store.merchantId,
        amount: order.amount,
        ...(order.callback && { callback_url: 'https://shop.example/callback' }),
      };
      const context = { database, clock, log, insertInvoice };
      return (await createInvoice(context, order.endsAt === undefined ? lasting : brief, body)).transId;
    },
  };
}

async function place(desk: Desk, order: Order): Promise<DrillInvoice> {
  const { world, create } = desk;
  const createdMs = order.endsAt === undefined ? systemClock.nowMs() : createdAtMs(order.endsAt);
  const transId = await create(order, { nowMs: () => createdMs });
  if (order.unselected) return { transId, order, payment: undefined };
  const clock = { nowMs: () => (order.endsAt === undefined ? systemClock.nowMs() : createdMs + SELECTED_AFTER_MS) };
  for (const choice of [order.changedFrom, order]) {
    if (!choice) continue;
    const { network, token } = choice;
    const selection = await selectPaymentMethod(world.drill.database, clock, { transId, network, token });
    // On a slow machine its end may come first; then nobody selects anything, and it expires as such.
    if (!selection.selected && order.endsAt !== undefined && selection.refusal === 'not-waiting') break;
    if (!selection.selected) throw new Error(`${token} on ${network} was refused: ${selection.refusal}.`);
    if (choice === order) return { transId, order, payment: paymentOf(world, selection.quote) };
  }
  return { transId, order, payment: undefined };
}

/**
 * Creates and selects. Invoices that end soon are created and selected on a clock that is minutes behind, as if the
 * drill had begun then: nothing is moved afterwards, and the rule against late selections is kept.
 */
export async function placeOrders(world: World, orders: readonly Order[]): Promise<DrillInvoice[]> {
  const desk = await openDesk(world);
  const placed: DrillInvoice[] = [];
  for (const [endsAt, together] of Map.groupBy(orders, (order) => order.endsAt)) {
    for (let start = 0; start < together.length; start += PRICED_TOGETHER) {
      const selectedMs = endsAt === undefined ? systemClock.nowMs() : createdAtMs(endsAt) + SELECTED_AFTER_MS;
      // Ten minutes ago may be last month.
      await ensurePartitions(world.drill.database.pool, new Date(selectedMs - SELECTED_AFTER_MS));
      await setPrices(world, { nowMs: () => selectedMs });
      placed.push(...(await inChunks(together.slice(start, start + PRICED_TOGETHER), (order) => place(desk, order))));
    }
  }
  return placed;
}

/** Puts payments where they belong, in this order. */
export function payInvoices(world: World, invoices: readonly DrillInvoice[], more: Partial<Payment> = {}): void {
  for (const { order, payment } of invoices) {
    if (payment) world.sides[order.network].driver.pay([{ ...payment, ...more }]);
  }
}
