import { figuresOf, settle } from './check.ts';
import type { Payment } from './driver.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import type { DrillInvoice, Order } from './invoices.ts';
import { drawOrder, payInvoices, placeOrders } from './invoices.ts';
import { percentile, tenths } from '../../rig/report/percentile.ts';
import { readSettled } from './measure.ts';
import { settledAtMs } from './rules.ts';
import type { SideFaults } from './side-faults.ts';
import type { World } from './world.ts';
import { nowSeconds, sideOf, sidesOf, waitUntil } from './world.ts';

/**
 * Hardest part of the chain drill, in real time: networks that are final within seconds, each with a single provider.
 * The provider's log index is behind its own headers, or lacks a log for ever, in blocks that show other transfers of
 * the same token.
 */

export type HardestSizes = { payments: number; unpaid: number; paymentsPerBlock: number };

const SETTLE_MS = 240_000;
const PAY_MS = 600_000;
const MAX_LAG_S = 60;
/** Number of strangers' transfers of the token in every block. */
const OTHERS = 6;
const MANY_BLOCKS = 1_000_000;
/** Lifetime of an invoice: short enough that a wrong expiry happens before the drill ends. */
const END_SECONDS = 200;
/**
 * Milliseconds after its end within which an unpaid invoice must expire: longer than a second read waits, and longer
 * than finality takes.
 */
const EXPIRE_MS = 90_000;
/**
 * Seconds for which a fault of the provider continues after the last payments of its phase can be read, so that the
 * last payments are read during the fault.
 */
const SPARE_SECONDS = 15;
const LAG_BLOCKS = 6;
const LAG_SECONDS = 60;

type Phase = {
  name: string;
  faults: SideFaults;
  /** One in so many payments is hidden for ever. */
  hiddenEvery?: number;
  /** Seconds after a payment's block until a reader can find the payment. */
  hiddenSeconds: (blockSeconds: number) => number;
};

const PHASES: readonly Phase[] = [
  {
    name: `the index is ${LAG_BLOCKS} blocks behind`,
    faults: { logsLagBlocks: LAG_BLOCKS },
    hiddenSeconds: (blockSeconds) => LAG_BLOCKS * blockSeconds,
  },
  {
    name: `the index is ${LAG_SECONDS} s behind`,
    faults: { logsLagSeconds: LAG_SECONDS },
    hiddenSeconds: () => LAG_SECONDS,
  },
  { name: 'the index lacks one log in three for ever', faults: {}, hiddenEvery: 3, hiddenSeconds: () => 0 },
];

/** Draws a small order in USDT: only token transfers are read from the log index, whose faults this part drills. */
function draw(world: World, position: number): Order {
  const { changedFrom: _unwanted, ...order } = drawOrder(world, position);
  return { ...order, token: 'USDT', amount: String(20 + (position % 400)), endsAt: nowSeconds(world) + END_SECONDS };
}

function payPhase(world: World, invoices: readonly DrillInvoice[], { hiddenEvery }: Phase): void {
  for (const [place, invoice] of invoices.entries()) {
    const number = Math.floor(place / world.symbols.length);
    const disguise: Partial<Payment> =
      hiddenEvery !== undefined && number % hiddenEvery === 0 ? { disguise: 'hidden' } : {};
    payInvoices(world, [invoice], disguise);
  }
}

type Readable = { transId: string; phase: Phase };

/** Delays of payments: from the earliest time at which the invoice could be completed until it was completed. */
async function measure(world: World, readable: readonly Readable[]): Promise<number[]> {
  const phases = new Map(readable.map(({ transId, phase }) => [transId, phase]));
  const settled = await readSettled(world);
  return sidesOf(world).flatMap((side) => {
    const chain = side.truth();
    const heights = new Map(chain.transfers.map(({ tx, height }) => [tx, height]));
    return settled
      .filter(({ network }) => network === side.symbol)
      .flatMap(({ transId, tx, settledMs }) => {
        const phase = phases.get(transId);
        const height = heights.get(tx);
        const finalMs = height === undefined ? undefined : settledAtMs(side, chain, height);
        if (!phase || height === undefined || finalMs === undefined) return [];
        const shownMs = chain.timeMsAt(height) + phase.hiddenSeconds(side.profile.blockSeconds) * 1000;
        return [settledMs - Math.max(finalMs, shownMs)];
      });
  });
}

async function untilExpired(world: World, transIds: readonly string[]): Promise<number> {
  const count = async () => {
    const { rows } = await world.drill.database.pool.query<{ expired: number }>(
      `select count(*)::integer as expired from invoices where status = 'expired' and trans_id = any($1)`,
      [transIds],
    );
    return rows[0]?.expired ?? 0;
  };
  const timeoutMs = END_SECONDS * 1000 + EXPIRE_MS;
  await waitUntil(world, timeoutMs, async () => (await count()) === transIds.length);
  return count();
}

export async function drillHardest(world: World, sizes: HardestSizes): Promise<PartFigures> {
  const readable: Readable[] = [];
  const unpaid: string[] = [];
  for (const side of sidesOf(world)) {
    const crowded = side.crowd();
    if (!crowded) throw new Error(`${side.symbol} has no traffic.`);
    side.driver.crowd({ ...crowded.traffic, transfers: OTHERS, inputBytes: 0 }, MANY_BLOCKS);
    side.driver.pace(sizes.paymentsPerBlock);
  }
  for (const phase of PHASES) {
    const share = (count: number) => Math.ceil(count / PHASES.length);
    const drawn = (count: number) => Array.from({ length: count }, (_unused, position) => draw(world, position));
    for (const side of sidesOf(world)) side.behave(phase.faults);
    unpaid.push(...(await placeOrders(world, drawn(share(sizes.unpaid)))).map(({ transId }) => transId));
    const placed = await placeOrders(world, drawn(share(sizes.payments)));
    payPhase(world, placed, phase);
    readable.push(...placed.map(({ transId }) => ({ transId, phase })));
    const isPaid = () => world.symbols.every((symbol) => sideOf(world, symbol).driver.waiting() === 0);
    if (!(await waitUntil(world, PAY_MS, isPaid))) throw new Error('The payments were not mined.');
    world.say(`${placed.length} are paid: ${phase.name}`);
    const hiddenSeconds = Math.max(...sidesOf(world).map((side) => phase.hiddenSeconds(side.profile.blockSeconds)));
    await world.pause((hiddenSeconds + SPARE_SECONDS) * 1000);
  }
  const expired = await untilExpired(world, unpaid);
  world.say(`${expired} of ${unpaid.length} that nobody paid have expired`);
  if (expired < unpaid.length) world.faults.add(`only ${expired} of ${unpaid.length} unpaid invoices expired`);
  const figures = figuresOf(world, await settle(world, SETTLE_MS));
  const lags = await measure(world, readable);
  const [median, p99, most] = [0.5, 0.99, 1].map((one) => tenths(percentile(lags, one, 0)));
  world.say(`${lags.length} completed, after being readable by ${median} s (median), ${p99} s (p99), ${most} s (most)`);
  if ((most ?? 0) > MAX_LAG_S) world.faults.add(`a payment is completed ${most} s after it can be read`);
  if (lags.length < readable.length)
    world.faults.add(`only ${lags.length} of ${readable.length} payments were completed`);
  const more = { hardest_completed: lags.length, hardest_expired: expired, hardest_lag_most_s: most ?? 0 };
  return { ...figures, more };
}
