import { figuresOf, settle } from './check.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import type { Order } from './invoices.ts';
import { drawOrder, payInvoices, placeOrders } from './invoices.ts';
import { percentile, tenths } from '../../rig/report/percentile.ts';
import type { Gaps } from '../../rig/report/watch-gaps.ts';
import { watchGaps } from '../../rig/report/watch-gaps.ts';
import { readSettled } from './measure.ts';
import { settledAtMs, SUMS_USD } from './rules.ts';
import type { World } from './world.ts';
import { nowSeconds, sidesOf } from './world.ts';

/**
 * Calm part of the chain drill, in real time and without faults: measures the time from a payment's settling on the
 * chain to the completion of its invoice.
 */

export type CalmSizes = { payments: number };

const SETTLE_MS = 600_000;
/** Most time until a settled payment completes its invoice, in reads of its network. */
const MAX_LAG_POLLS = 4;
const WATCH_POLLS_MS = 200;
/**
 * Seconds before the first payment: readers that have just started must first make second reads of the last twenty
 * minutes of blocks. After that, payments come one by one.
 */
const START_SECONDS = 40;
const SPREAD_SECONDS = 100;

/** Notes when the head of each network was read, as the database records it. */
async function watchPolls(world: World, polls: Gaps, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { rows } = await world.drill.database.pool.query<{ network: string; readAt: Date }>(
      'select network, head_read_at as "readAt" from chains where head_read_at is not null',
    );
    for (const { network, readAt } of rows) polls.note(network, readAt.getTime());
    await world.pause(WATCH_POLLS_MS);
  }
}

export async function drillCalm(world: World, sizes: CalmSizes): Promise<PartFigures> {
  const [small] = SUMS_USD;
  const orders = Array.from({ length: sizes.payments * world.symbols.length }, (_unused, position): Order => ({
    ...drawOrder(world, position),
    amount: String(small + (position % 300)),
  }));
  const from = nowSeconds(world) + START_SECONDS;
  for (const [position, invoice] of (await placeOrders(world, orders)).entries()) {
    const later = Math.floor((position / orders.length) * SPREAD_SECONDS);
    payInvoices(world, [invoice], { notBefore: from + later });
  }
  world.say(`${orders.length} will be paid, and nothing goes wrong`);
  const polls = watchGaps();
  let over = false;
  const watching = watchPolls(world, polls, () => over);
  const figures = figuresOf(world, await settle(world, SETTLE_MS));
  over = true;
  await watching;
  const settled = await readSettled(world);
  const more: Record<string, number> = {};
  for (const side of sidesOf(world)) {
    const chain = side.truth();
    const heights = new Map(chain.transfers.map(({ tx, height }) => [tx, height]));
    const lags = settled
      .filter(({ network }) => network === side.symbol)
      .flatMap(({ tx, settledMs }) => {
        const since = settledAtMs(side, chain, heights.get(tx) ?? 0);
        return since === undefined ? [] : [settledMs - since];
      });
    const [median, p99, most] = [0.5, 0.99, 1].map((share) => tenths(percentile(lags, share, 0)));
    world.say(
      `${side.symbol.padEnd(9)} ${lags.length} completed, after being settled by ${median} s (median), ${p99} s (p99), ${most} s (most)`,
    );
    more[`calm_${side.symbol.toLowerCase()}_p99_s`] = p99 ?? 0;
    const pollMs = polls.p99Ms(side.symbol);
    if (side.network.family === 'evm' && !(percentile(lags, 0.99, 0) <= MAX_LAG_POLLS * pollMs))
      world.faults.add(
        `${side.symbol}: completed ${p99} s after being settled, more than ${MAX_LAG_POLLS} reads of ${tenths(pollMs)} s`,
      );
  }
  return { ...figures, more };
}
