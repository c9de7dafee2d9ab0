import type { Verdict } from './chain-check.ts';
import { settle } from './chain-check.ts';
import { watchDepths } from './chain-depth.ts';
import type { DrillInvoice } from './chain-invoices.ts';
import { drawOrder, payInvoices, placeOrders } from './chain-invoices.ts';
import { drillSleeper } from './chain-sleeper.ts';
import type { Symbol, World } from './chain-world.ts';
import { SYMBOLS, waitUntil } from './chain-world.ts';

/** Part A: a provider's address behind which four answers in ten come from a node that is behind. */

export type StaleSizes = {
  payments: number;
  /** How long a reader sleeps that is stopped inside its commit. */
  sleepMs: number;
};

const STALE_SHARE = 0.4;
/** A whole request is answered by a node that lacks more than the deepest rule asks for. */
const FAR_BEHIND: Record<Symbol, number> = { BSC: 30, ETH: 30 };
/**
 * Each call of a request is answered by a node of its own: logs then lack the newest blocks, headers do not. It is more
 * than a first look stays behind the head, and less than the depth of any rule.
 */
const LITTLE_BEHIND: Record<Symbol, number> = { BSC: 6, ETH: 3 };
const SETTLE_MS = 120_000;
const PAY_MS = 180_000;

function behave(world: World, lag: Record<Symbol, number>, splitBatches: boolean): void {
  for (const symbol of SYMBOLS) {
    const { anvil, balancer } = world.sides[symbol];
    const backends = [
      { url: anvil.url, share: 1 - STALE_SHARE },
      { url: anvil.url, share: STALE_SHARE, lagBlocks: lag[symbol] },
    ];
    balancer?.behave({ backends, splitBatches, reverseBatches: splitBatches });
  }
}

const isPaid = (world: World) => SYMBOLS.every((symbol) => world.sides[symbol].driver.waiting() === 0);

/** Money that pays nobody: a unit short, and a second payment of the same invoice. */
function payNoise(world: World, invoices: readonly DrillInvoice[]): void {
  for (const { order, payment } of invoices.filter(() => world.random() < 0.05)) {
    if (!payment) continue;
    const wrong = world.random() < 0.5 ? payment : { ...payment, units: payment.units - 1n };
    world.sides[order.network].driver.pay([wrong]);
  }
}

/** Of the workers that live: how often the two looks at a range did not agree. It shows that the drill bites. */
async function countDisagreements(world: World): Promise<number> {
  const pages = await Promise.all(
    world.fleet.alive().map(async ({ operationsUrl }) => (await fetch(`${operationsUrl}/metrics`)).text()),
  );
  const counts = pages.join('\n').matchAll(/^counterfoil_chain_disagreements\S* (\d+)/gm);
  return counts.reduce((sum, match) => sum + Number(match[1]), 0);
}

async function payAll(world: World, invoices: readonly DrillInvoice[]): Promise<void> {
  payInvoices(world, invoices);
  payNoise(world, invoices);
  if (!(await waitUntil(world, PAY_MS, () => isPaid(world)))) throw new Error('The payments were not mined.');
}

export async function drillStale(world: World, sizes: StaleSizes): Promise<Verdict & { stale_answers: number }> {
  behave(world, FAR_BEHIND, false);
  const depths = watchDepths(world);
  const [sleeper] = world.fleet.alive();
  if (!sleeper) throw new Error('There is no worker to stop.');
  const half = Math.ceil(sizes.payments / 2);
  const placeAndPay = async () => {
    const orders = Array.from({ length: sizes.payments }, (_unused, position) => drawOrder(world.random, position));
    const placed = await placeOrders(world, orders);
    world.say(
      `${placed.length} invoices are placed; ${STALE_SHARE * 100} % of answers come from nodes that are behind`,
    );
    await payAll(world, placed.slice(0, half));
    return placed;
  };
  const [invoices] = await Promise.all([
    placeAndPay(),
    drillSleeper(world, sleeper, { network: 'ETH', where: 'in its commit', ms: sizes.sleepMs }),
  ]);
  world.say(`${half} are paid, with a node far behind for each request`);
  // Nobody sleeps now: what stale logs lack is only seen by a reader that is at the head.
  behave(world, LITTLE_BEHIND, true);
  await payAll(world, invoices.slice(half));
  world.say(`${invoices.length - half} are paid, with a node a little behind for each call of a request`);
  const verdict = await settle(world, SETTLE_MS);
  verdict.double += await depths.stop();
  if (verdict.payments < invoices.length) world.faults.add(`the chain shows only ${verdict.payments} payments`);
  const stale = SYMBOLS.reduce((sum, symbol) => sum + (world.sides[symbol].balancer?.staleAnswers() ?? 0), 0);
  world.say(`${stale} answers were stale; second looks found ${await countDisagreements(world)} faults of first ones`);
  return { ...verdict, stale_answers: stale };
}
