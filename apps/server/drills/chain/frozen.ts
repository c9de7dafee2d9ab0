import { figuresOf, settle } from './check.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import { placeOrders } from './invoices.ts';
import { readSettled } from './measure.ts';
import { settledAtMs } from './rules.ts';
import { drawSmall, payAll, readStates } from './small-payments.ts';
import type { World } from './world.ts';
import { sidesOf, waitUntil } from './world.ts';

/**
 * Part of the chain drill, in real time: one of two providers of each network stands still while it goes on answering.
 * What is paid completes as soon as the other provider's blocks allow.
 */

export type FrozenSizes = { payments: number };

const SECOND_MS = 1_000;
const SETTLE_MS = 600_000;
/** Most time for completing everything while a provider stands still; the slowest network is final after minutes. */
const COMPLETE_MS = 1_500_000;
/** Most seconds from a payment's settling to its completion. */
const MAX_SECONDS = 120;

export async function drillFrozen(world: World, sizes: FrozenSizes): Promise<PartFigures> {
  const placed = await placeOrders(world, drawSmall(world, sizes.payments));
  for (const side of sidesOf(world)) side.behave({ standsStill: true });
  await payAll(world, placed);
  const isDone = async () => (await readStates(world, placed, ['completed'])).size === placed.length;
  await waitUntil(world, COMPLETE_MS, isDone);
  const settled = new Map((await readSettled(world)).map((one) => [one.transId, one]));
  const more: Record<string, number> = {};
  for (const side of sidesOf(world)) {
    const chain = side.truth();
    const heights = new Map(chain.transfers.map(({ tx, height }) => [tx, height]));
    const own = placed.filter(({ order }) => order.network === side.symbol);
    const lags = own.map(({ transId }) => {
      const one = settled.get(transId);
      const sinceMs = one && settledAtMs(side, chain, heights.get(one.tx) ?? 0);
      return one && sinceMs !== undefined ? (one.settledMs - sinceMs) / SECOND_MS : Number.POSITIVE_INFINITY;
    });
    const worst = Math.round(Math.max(...lags));
    world.say(
      `${side.symbol.padEnd(9)} ${own.length} completed at most ${worst} s after being settled, one provider standing still`,
    );
    more[`frozen_${side.symbol.toLowerCase()}_s`] = worst;
    if (worst > MAX_SECONDS)
      world.faults.add(
        `${side.symbol}: a payment completed ${worst} s after it was settled, one provider standing still`,
      );
    side.behave({});
  }
  return { ...figuresOf(world, await settle(world, SETTLE_MS)), more };
}
