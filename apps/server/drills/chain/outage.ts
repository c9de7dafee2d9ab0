import { figuresOf, settle } from './check.ts';
import { insertDue } from './due.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import type { DrillInvoice, Order } from './invoices.ts';
import { drawOrder, payInvoices, placeOrders } from './invoices.ts';
import type { LagFigures, LagPart, LagWatch } from './lag.ts';
import { watchLag } from './lag.ts';
import type { World } from './world.ts';
import { nowSeconds, sideOf, sidesOf, waitUntil } from './world.ts';

/**
 * Outage part of the chain drill: no node answers while invoices end, and all database connections go silent; then one
 * network stays dead with thousands of due invoices, next to living networks.
 */

export type OutageSizes = {
  invoices: number;
  /**
   * Seconds from placement to the first invoice's end, then from the first to the last invoice's end, by the machine's
   * clock.
   */
  firstEndSeconds: number;
  spreadSeconds: number;
  due: number;
  living: number;
};

const DYING = 'ETH';
const SETTLE_MS = 150_000;
const EXPIRE_MS = 90_000;
/** Milliseconds from the last invoice's end until nodes answer again, one after another. */
const DOWN_AFTER_MS = 2_000;
const SECOND_BACK_MS = 1_000;
const LIVING_END_SECONDS = 3;
const LIVING_TOGETHER = 10;

type Fate = 'in time' | 'in the last second' | 'late' | 'never';

function drawFate(random: () => number): Fate {
  const drawn = random();
  if (drawn < 0.45) return 'in time';
  if (drawn < 0.6) return 'in the last second';
  return drawn < 0.7 ? 'late' : 'never';
}

/**
 * Earliest block time of a payment with the given fate; undefined for a payment that is never made. A payment in a
 * block of the very second of the invoice's end is in time; a payment in a block one second later is late.
 */
function paidFrom(world: World, fate: Fate, endsAt: number): number | undefined {
  switch (fate) {
    case 'in time': {
      const left = Math.max(0, endsAt - 1 - nowSeconds(world));
      return endsAt - 1 - Math.floor(world.random() * left);
    }
    case 'in the last second':
      return endsAt;
    case 'late':
      return endsAt + 1;
    case 'never':
      return undefined;
  }
}

async function until(world: World, second: number): Promise<void> {
  await world.pause(Math.max(0, (second * 1000 - world.clock.nowMs()) / world.factor));
}

/** Drills an outage of all nodes: no invoice may expire before its network was read. */
async function drillDown(world: World, sizes: OutageSizes, lag: LagWatch): Promise<void> {
  for (const side of sidesOf(world)) await side.down();
  const firstEnd = nowSeconds(world) + sizes.firstEndSeconds * world.factor;
  const lastEnd = firstEnd + sizes.spreadSeconds * world.factor;
  const ends = sizes.spreadSeconds + 1;
  const orders = Array.from({ length: sizes.invoices }, (_unused, position): Order => ({
    ...drawOrder(world, position),
    endsAt: firstEnd + (Math.floor(position / world.symbols.length) % ends) * world.factor,
  }));
  world.say(`${world.line?.silence() ?? 0} lines to the database are dead now, and no node answers`);
  const placed = await placeOrders(world, orders);
  const seconds = Math.round((firstEnd - nowSeconds(world)) / world.factor);
  world.say(`${placed.length} invoices end in ${seconds} s and later`);
  const unpaid: DrillInvoice[] = [];
  let paid = 0;
  for (const invoice of placed) {
    const fate = drawFate(world.random);
    const notBefore = paidFrom(world, fate, invoice.order.endsAt ?? 0);
    if (notBefore !== undefined) payInvoices(world, [invoice], { notBefore });
    if (fate === 'in time' || fate === 'in the last second') paid += 1;
    else unpaid.push(invoice);
  }
  await lag.register(
    'down',
    unpaid.map(({ transId }) => transId),
  );
  await until(world, lastEnd);
  await world.pause(DOWN_AFTER_MS);
  for (const side of sidesOf(world).filter(({ symbol }) => symbol !== DYING)) await side.up();
  await world.pause(SECOND_BACK_MS);
  await sideOf(world, DYING).up();
  world.say(`the nodes answer again: ${paid} were to be paid in time, ${unpaid.length} were not`);
}

async function countWaiting(world: World, transIds: readonly string[]): Promise<number> {
  const { rows } = await world.drill.database.pool.query<{ waiting: number }>(
    `select count(*)::integer as waiting from invoices where status = 'waiting' and trans_id = any($1)`,
    [transIds],
  );
  return rows[0]?.waiting ?? 0;
}

/**
 * Orders on living networks, few at a time because each invoice must still be open when its payment method is selected.
 */
function livingOrders(world: World, endsAt: number): Order[] {
  const living = sidesOf(world).filter(({ symbol }) => symbol !== DYING);
  return Array.from({ length: LIVING_TOGETHER }, (_unused, position) => {
    const { symbol, network } = living[position % living.length] ?? sideOf(world, DYING);
    const token = network.tokens[position % 2 === 0 ? 0 : network.tokens.length - 1]?.symbol ?? '';
    const order = { network: symbol, token, amount: '40', callback: true, endsAt };
    return position % 5 === 0 ? { ...order, unselected: true } : order;
  });
}

/** Places invoices on networks that live, and registers them; they end soon. */
async function placeLiving(world: World, sizes: OutageSizes, lag: LagWatch, part: LagPart): Promise<string[]> {
  const living: string[] = [];
  while (living.length < sizes.living) {
    const endsAt = nowSeconds(world) + LIVING_END_SECONDS * world.factor;
    const placed = await placeOrders(world, livingOrders(world, endsAt));
    const transIds = placed.map(({ transId }) => transId);
    await lag.register(part, transIds);
    living.push(...transIds);
  }
  return living;
}

/**
 * Drills a dead Ethereum with thousands of due invoices: invoices quoted on other networks only, or unselected, still
 * end in time.
 */
async function drillDead(world: World, sizes: OutageSizes, lag: LagWatch): Promise<void> {
  await sideOf(world, DYING).down();
  const spreadSeconds = sizes.spreadSeconds * world.factor;
  const due = await insertDue(world, DYING, { count: sizes.due, spreadSeconds });
  await lag.register('dead', due);
  const living = await placeLiving(world, sizes, lag, 'dead');
  world.say(`Ethereum is dead with ${due.length} due; ${living.length} beside them end on living networks`);
  const ended = await waitUntil(world, EXPIRE_MS, async () => (await countWaiting(world, living)) === 0);
  if (!ended) world.faults.add('a dead network keeps invoices of a living one from expiring');
  const kept = await countWaiting(world, due);
  world.say(`the living networks' have ended; ${kept} of the dead one's still wait`);
  await sideOf(world, DYING).up();
}

/** Most times that the delay until expiry may grow by, from invoices that end while nothing is wrong. */
const MAX_LIVING_GROWTH = 5;
/** The same for invoices that wait together for a network to come back, and are expired in batches. */
const MAX_GROWTH_PER_BATCH = 3;
const EXPIRED_TOGETHER = 500;
const thousandths = (value: number) => Math.round(value * 1000) / 1000;
const seconds = (value: number) => `${Math.round(value * 100) / 100} s`;

function tell(world: World, figures: LagFigures): void {
  world.say(
    `${figures.ended} of ${figures.registered} unpaid ended, after coverage by ${seconds(figures.p50)} (median), ` +
      `${seconds(figures.p99)} (p99), ${seconds(figures.most)} (most); on living networks ${seconds(figures.livingP99)} (p99), ` +
      `without an outage ${seconds(figures.calmP99)} (p99)`,
  );
}

function judgeLag(world: World, { due }: OutageSizes, { calmP99, livingP99, p99 }: LagFigures): void {
  if (!(calmP99 > 0)) world.faults.add('no invoice ended without an outage: the delay cannot be judged');
  if (livingP99 > MAX_LIVING_GROWTH * calmP99)
    world.faults.add(`a dead network delays the end of invoices of a living one: ${seconds(livingP99)}`);
  if (p99 > MAX_GROWTH_PER_BATCH * Math.ceil(due / EXPIRED_TOGETHER) * calmP99)
    world.faults.add(`invoices end too late: ${seconds(p99)}`);
}

export async function drillOutage(world: World, sizes: OutageSizes): Promise<PartFigures> {
  const lag = await watchLag(world, DYING);
  const haveEnded = () => waitUntil(world, EXPIRE_MS, async () => (await lag.open()) === 0);
  await placeLiving(world, sizes, lag, 'calm');
  await haveEnded();
  await drillDown(world, sizes, lag);
  await haveEnded();
  await drillDead(world, sizes, lag);
  await haveEnded();
  const verdict = await settle(world, SETTLE_MS);
  const figures = await lag.stop();
  tell(world, figures);
  judgeLag(world, sizes, figures);
  if (figures.early > 0) world.faults.add(`false_expiries: ${figures.early} expired before their network was covered`);
  const open = figures.registered - figures.ended;
  if (open > 0) world.faults.add(`unexpired: ${open} of ${figures.registered} unpaid invoices did not end`);
  for (const one of figures.open) world.faults.add(`unexpired: ${one}`);
  const judged = Object.values(verdict.networks).reduce((sum, own) => sum + own.unexpired, 0);
  const shared = { false_expiries: figures.early, unexpired: Math.max(0, open - judged) };
  const part = figuresOf(world, verdict, { ...shared, expiry_lag_p99_s: thousandths(figures.p99) });
  return { ...part, more: { calm_expiry_lag_p99_s: thousandths(figures.calmP99) } };
}
