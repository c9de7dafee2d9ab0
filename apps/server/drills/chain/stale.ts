import { readsAccounts } from '../../src/networks/network.ts';
import { headLagBlocks } from '../../src/networks/profile.ts';
import type { Traffic } from '../../rig/chains/evm/network-block.ts';
import { figuresOf, settle } from './check.ts';
import { watchDepths } from './depth.ts';
import type { Payment } from './driver.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import type { DrillInvoice, Order } from './invoices.ts';
import { drawOrder, placeOrders } from './invoices.ts';
import { settlingBlocks } from './rules.ts';
import type { Side } from './side.ts';
import type { SideCounts, SideFaults } from './side-faults.ts';
import { drillPausedWorker } from './paused-worker.ts';
import type { World } from './world.ts';
import { nowSeconds, readHeights, sideOf, sidesOf, untilFollowed, waitUntil } from './world.ts';

/**
 * Stale part of the chain drill: providers show wrong data without an error. Nodes are far behind, or slightly behind
 * for single calls; a log index is behind its own headers, with holes and missing logs; answers are too large. Each
 * fault lasts for a part of the payments.
 */

export type StaleSizes = {
  /** Payments for each network in each phase. */
  payments: number;
  /**
   * Seconds until short-lived invoices end, by the machine's clock, because the machine's speed decides how long
   * placing them takes.
   */
  briefSeconds: number;
  /** How long a reader is paused inside its commit. */
  sleepMs: number;
};

const STALE_SHARE = 0.4;
const SETTLE_MS = 240_000;
const PAY_MS = 180_000;
/**
 * Longest duration of a phase. A phase ends when its fault has occurred on every network and its payments were read
 * once.
 */
const PHASE_MS = 60_000;
/** Every so many invoices, an invoice ends soon after it is paid: if coverage is wrong, such an invoice expires. */
const BRIEF_EVERY = 3;
/** Share of invoices that are not paid. */
const UNPAID_SHARE = 0.15;
/** Lag of a node that is longer than the distance of first reads to the head, in seconds of the chains' clock. */
const LITTLE_SECONDS = 4;
/** Lag of a log index that is as long as a reader on a slow machine may be behind. */
const INDEX_SECONDS = 60;
const HOLE_SECONDS = { from: 6, to: 14 };
const FAR_SPARE_BLOCKS = 10;

const blocksOf = ({ profile }: Side, seconds: number) => Math.max(3, Math.ceil(seconds / profile.blockSeconds));

type Phase = {
  name: string;
  faults: (side: Side, world: World) => SideFaults;
  /** Count that must have risen on a network before the phase is over. */
  counted: (counts: SideCounts) => number;
  /** Whether the fault can occur on a network. */
  concerns: (side: Side) => boolean;
  /** How the log index treats a network's payments, in turn. */
  disguises?: readonly Payment['disguise'][];
  /**
   * Whether the first payment on each network is in the network's coin or in a stablecoin; when absent, any token is
   * drawn.
   */
  first?: 'coin' | 'stable';
  /** Whether the fault ends as soon as it has occurred: nothing can be read to its end while it lasts. */
  endsFirst?: boolean;
  /**
   * Whether strangers' traffic fills some blocks beyond what a client answers at once, while providers are down: when
   * providers are up again, readers ask for all these blocks together.
   */
  crowded?: boolean;
};

const isChain = ({ network }: Side) => !readsAccounts(network);

const PHASES: readonly Phase[] = [
  {
    name: 'a node far behind for each request',
    faults: (side, world) => {
      const lagBlocks = settlingBlocks(side, world.mostSettleSeconds) + FAR_SPARE_BLOCKS;
      return { stale: { share: STALE_SHARE, lagBlocks, splitBatches: false } };
    },
    counted: ({ staleAnswers }) => staleAnswers,
    concerns: () => true,
  },
  {
    name: 'a node a little behind for each call of a request',
    faults: (side) => ({
      stale: { share: STALE_SHARE, lagBlocks: blocksOf(side, LITTLE_SECONDS), splitBatches: true },
    }),
    counted: ({ staleAnswers }) => staleAnswers,
    concerns: () => true,
  },
  {
    name: 'an index behind its headers, with a hole',
    faults: (side) => ({
      logsLagBlocks: blocksOf(side, INDEX_SECONDS),
      logsHole: {
        from: blocksOf(side, INDEX_SECONDS + HOLE_SECONDS.from),
        to: blocksOf(side, INDEX_SECONDS + HOLE_SECONDS.to),
      },
    }),
    counted: ({ indexLag }) => indexLag,
    concerns: () => true,
    first: 'stable',
  },
  {
    name: 'logs that are missing or late, and transfers under wrong numbers',
    faults: () => ({}),
    counted: ({ phantoms, missingLogs }) => Math.min(phantoms, missingLogs),
    concerns: isChain,
    disguises: ['phantom', 'late', 'hidden', undefined],
    first: 'stable',
  },
  {
    name: 'a log listed twice',
    faults: () => ({ duplicateLogs: true }),
    counted: ({ duplicateLogs }) => duplicateLogs,
    concerns: isChain,
    first: 'stable',
  },
  {
    name: 'a head that stands still while the node answers',
    faults: () => ({ standsStill: true }),
    counted: ({ frozenHeads }) => frozenHeads,
    concerns: () => true,
    endsFirst: true,
  },
  {
    name: 'more at once than a client answers',
    faults: () => ({}),
    counted: ({ limits }) => limits,
    concerns: (side) => side.crowd() !== undefined,
    // The first quote is in coins, because an open quote in coins makes the reader fetch whole blocks, whose size the
    // client limits.
    first: 'coin',
    crowded: true,
  },
];

/** Sends a payment that pays no invoice: a unit short, or a second payment of the same invoice. */
function payNoise(world: World, { order, payment }: DrillInvoice): void {
  if (!payment || world.random() > 0.05) return;
  const wrong = world.random() < 0.5 ? payment : { ...payment, units: payment.units - 1n };
  sideOf(world, order.network).driver.pay([wrong]);
}

async function payAll(world: World, invoices: readonly DrillInvoice[], { disguises = [] }: Phase): Promise<void> {
  const turns = new Map<string, number>();
  for (const invoice of invoices) {
    const { order, payment } = invoice;
    if (!payment) continue;
    const turn = turns.get(order.network) ?? 0;
    const disguise = payment.token === undefined ? undefined : disguises[turn % disguises.length];
    if (payment.token !== undefined) turns.set(order.network, turn + 1);
    sideOf(world, order.network).driver.pay([{ ...payment, ...(disguise && { disguise }) }]);
    payNoise(world, invoice);
  }
  const isPaid = () => sidesOf(world).every(({ driver }) => driver.waiting() === 0);
  if (!(await waitUntil(world, PAY_MS, isPaid))) throw new Error('The payments were not mined.');
}

function ordersOf(
  world: World,
  { payments, briefSeconds }: StaleSizes,
  { first }: Phase,
): { paid: Order[]; unpaid: Order[] } {
  const endsAt = nowSeconds(world) + briefSeconds * world.factor;
  const draw = (position: number): Order => ({
    ...drawOrder(world, position),
    ...(Math.floor(position / world.symbols.length) % BRIEF_EVERY === 0 && { endsAt }),
  });
  /** The first order of a network, whose token must be of the kind that the phase's fault needs. */
  const drawFirst = (position: number): Order => {
    const { changedFrom: _unwanted, endsAt: _never, ...order } = draw(position);
    const token = sideOf(world, order.network).network.tokens.find(({ stable }) => stable === (first === 'stable'));
    return { ...order, token: token?.symbol ?? order.token };
  };
  const count = payments * world.symbols.length;
  const unpaid = Math.ceil(count * UNPAID_SHARE);
  return {
    paid: Array.from({ length: count }, (_unused, position) =>
      first && position < world.symbols.length ? drawFirst(position) : draw(position),
    ),
    unpaid: Array.from({ length: unpaid }, (_unused, position) => ({ ...draw(position), endsAt })),
  };
}

/**
 * How often blocks are filled with strangers' traffic until the client refuses to answer for them: when a reader
 * happens to ask for the filled blocks in separate questions, the client answers without a refusal.
 */
const MAX_CROWDS = 5;

type Crowded = { side: Side; traffic: Traffic; blocks: number };

async function crowdOnce(world: World, crowds: readonly Crowded[], isMet: (side: Side) => boolean): Promise<void> {
  await Promise.all(crowds.map(({ side }) => side.down()));
  for (const { side, traffic, blocks } of crowds) side.driver.crowd(traffic, blocks);
  const isOver = () => crowds.every(({ side }) => side.driver.crowding() === 0);
  if (!(await waitUntil(world, PAY_MS, isOver))) throw new Error('The crowd does not end.');
  const ends = new Map(crowds.map(({ side }) => [side.symbol, side.driver.head()]));
  // Providers stay down until the crowded blocks are deeper than the newest blocks, which a first read leaves out:
  // otherwise readers would read the crowded blocks in parts, and the client would refuse nothing.
  const isBelow = ({ side }: Crowded) =>
    side.driver.head() > (ends.get(side.symbol) ?? 0) + headLagBlocks(side.network);
  if (!(await waitUntil(world, PAY_MS, () => crowds.every(isBelow)))) throw new Error('The chains stand still.');
  await Promise.all(crowds.map(({ side }) => side.up()));
  await waitUntil(world, PHASE_MS, async () => {
    const read = await readHeights(world);
    return crowds.every(({ side }) => isMet(side) || (read.get(side.symbol) ?? 0) >= (ends.get(side.symbol) ?? 0));
  });
}

async function crowd(world: World, isMet: (side: Side) => boolean): Promise<void> {
  const crowds = sidesOf(world).flatMap((side): Crowded[] => {
    const crowded = side.crowd();
    return crowded ? [{ side, ...crowded }] : [];
  });
  for (let tries = 1; tries <= MAX_CROWDS; tries += 1) {
    const left = crowds.filter(({ side }) => !isMet(side));
    if (left.length > 0) await crowdOnce(world, left, isMet);
  }
}

/** Waits until payments are read and the phase's fault has occurred: otherwise the drill would prove nothing. */
async function untilMet(world: World, phase: Phase, isMet: (side: Side) => boolean): Promise<void> {
  const paidUpTo = new Map(sidesOf(world).map(({ symbol, driver }) => [symbol, driver.head()]));
  const unmet = async () => {
    const read = await readHeights(world);
    return sidesOf(world).filter(
      (side) =>
        (phase.concerns(side) && !isMet(side)) ||
        (isChain(side) && (read.get(side.symbol) ?? 0) < (paidUpTo.get(side.symbol) ?? 0)),
    );
  };
  if (await waitUntil(world, PHASE_MS, async () => (await unmet()).length === 0)) return;
  const read = await readHeights(world);
  const where = (await unmet()).map(
    (side) =>
      `${side.symbol} (read ${read.get(side.symbol)} of ${side.driver.head()}, ${phase.counted(side.counts())} faults)`,
  );
  world.say(`not met within ${PHASE_MS / 1000} s on ${where.join(', ')}: ${phase.name}`);
}

/**
 * How often first and second read of a range disagreed in workers still alive. A number above zero shows that the
 * drill's faults have an effect.
 */
async function countDisagreements(world: World): Promise<number> {
  const pages = await Promise.all(
    world.fleet.alive().map(async ({ operationsUrl }) => (await fetch(`${operationsUrl}/metrics`)).text()),
  );
  const counts = pages.join('\n').matchAll(/^counterfoil_chain_disagreements\S* (\d+)/gm);
  return counts.reduce((sum, match) => sum + Number(match[1]), 0);
}

async function runPhase(world: World, phase: Phase, sizes: StaleSizes): Promise<number> {
  for (const side of sidesOf(world)) side.behave({});
  await untilFollowed(world);
  const orders = ordersOf(world, sizes, phase);
  await placeOrders(world, orders.unpaid);
  const placed = await placeOrders(world, orders.paid);
  const before = new Map(sidesOf(world).map((side) => [side.symbol, phase.counted(side.counts())]));
  const isMet = (side: Side) => phase.counted(side.counts()) > (before.get(side.symbol) ?? 0);
  for (const side of sidesOf(world)) side.behave(phase.faults(side, world));
  await Promise.all([payAll(world, placed, phase), phase.crowded ? crowd(world, isMet) : undefined]);
  if (phase.endsFirst === true) {
    await waitUntil(world, PHASE_MS, () => sidesOf(world).every((side) => !phase.concerns(side) || isMet(side)));
    for (const side of sidesOf(world)) side.behave({});
  }
  await untilMet(world, phase, isMet);
  world.say(`${placed.length} are paid: ${phase.name}`);
  return placed.length;
}

export async function drillStale(world: World, sizes: StaleSizes): Promise<PartFigures> {
  const depths = watchDepths(world);
  const [sleeper] = world.fleet.alive();
  if (!sleeper) throw new Error('There is no worker to stop.');
  let paid = 0;
  const payInPhases = async () => {
    for (const phase of PHASES) paid += await runPhase(world, phase, sizes);
  };
  await Promise.all([
    payInPhases(),
    drillPausedWorker(world, sleeper, { network: 'ETH', where: 'in its commit', ms: sizes.sleepMs }),
  ]);
  const verdict = await settle(world, SETTLE_MS);
  for (const [symbol, shallow] of Object.entries(await depths.stop())) {
    const own = verdict.networks[symbol];
    if (own) own.double += shallow;
  }
  const figures = figuresOf(world, verdict);
  const payments = Object.values(figures.networks).reduce((sum, own) => sum + (own.payments ?? 0), 0);
  if (payments < paid) world.faults.add(`the chains show only ${payments} payments of ${paid}`);
  world.say(`second reads found ${await countDisagreements(world)} faults of first ones`);
  return figures;
}
