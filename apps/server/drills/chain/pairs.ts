import { figuresOf, settle } from './check.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import type { Order } from './invoices.ts';
import { payInvoices, placeOrders, tryOrder } from './invoices.ts';
import type { Side } from './side.ts';
import type { SideCounts } from './side-faults.ts';
import { drawSmall, payAll, readStates } from './small-payments.ts';
import type { World } from './world.ts';
import { nowSeconds, sideOf, sidesOf, untilFollowed, waitUntil } from './world.ts';

/**
 * Part of the chain drill in which each network has two providers: both lack the same logs, and chains halt and go on with
 * old block times.
 */

export type PairsSizes = {
  /** Payments for each network in each phase. */
  payments: number;
  /** Seconds until invoices of the slow phase end, by the machine's clock, because its speed decides how long placing takes. */
  briefSeconds: number;
};

const SETTLE_MS = 300_000;
const SEE_MS = 240_000;
const HOLE_SECONDS = 20;
/** Age of blocks, in real seconds, from which on a network is not offered. */
const OFFERED_SECONDS = 60;
const SPARE_SECONDS = 60;
/** By how much more each next network is late: equal delays would accuse our clock. */
const NEXT_DELAY_SECONDS = 20;

const missing = ({ holes, missingLogs }: SideCounts) => holes + missingLogs;

/** Number of answers that lacked a log which all providers of the network lack. */
const commonHoles = ({ providers }: Side): number =>
  providers.map((provider) => missing(provider.counts())).reduce((sum, count) => sum + count, 0);

/** Orders in stablecoins: only their transfers are read from logs. */
function drawStable(world: World, count: number, more: Partial<Order> = {}): Order[] {
  const orders = drawSmall(world, count, more);
  for (const order of orders) {
    const { tokens } = sideOf(world, order.network).network;
    order.token = tokens.find(({ stable }) => stable)?.symbol ?? order.token;
  }
  return orders;
}

/** Both providers lack the same logs: some for a while, those of half of the payments for ever. */
async function lackTheSame(world: World, sizes: PairsSizes): Promise<void> {
  const placed = await placeOrders(world, drawStable(world, sizes.payments));
  for (const side of sidesOf(world))
    for (const provider of side.providers)
      provider.behave({ logsHole: { from: 0, to: Math.max(3, Math.ceil(HOLE_SECONDS / side.profile.blockSeconds)) } });
  const isHidden = (place: number) => Math.floor(place / world.symbols.length) % 2 === 0;
  payInvoices(
    world,
    placed.filter((_one, place) => isHidden(place)),
    { disguise: 'hidden' },
  );
  await payAll(
    world,
    placed.filter((_one, place) => !isHidden(place)),
  );
  await waitUntil(world, SEE_MS, async () => {
    const seen = await readStates(world, placed, ['processing', 'completed']);
    return (
      seen.size === placed.length &&
      sidesOf(world).every((side) => !side.profile.blockReceipts || commonHoles(side) > 0)
    );
  });
  for (const side of sidesOf(world)) for (const provider of side.providers) provider.behave({});
  world.say(`${placed.length} are paid while both providers lack the same logs`);
}

async function refuseSlow(world: World): Promise<void> {
  for (const order of drawSmall(world, 1)) {
    const refusal = await tryOrder(world, order);
    if (refusal === undefined) world.faults.add(`${order.network} was offered while its blocks were minutes old`);
  }
}

/**
 * Chains halt, go on with old block times, and catch up in a burst. Invoices end during the halt and are paid in blocks
 * whose times lie before their end.
 */
async function runLate(world: World, sizes: PairsSizes): Promise<void> {
  await untilFollowed(world);
  const endsAt = nowSeconds(world) + sizes.briefSeconds * world.factor;
  const placed = await placeOrders(world, drawStable(world, sizes.payments, { endsAt }));
  const firstDelay = OFFERED_SECONDS * world.factor + SPARE_SECONDS;
  for (const [place, side] of sidesOf(world).entries()) side.delay(firstDelay + place * NEXT_DELAY_SECONDS);
  await payAll(world, placed);
  await refuseSlow(world);
  const isSeen = async () => {
    const seen = await readStates(world, placed, ['processing', 'completed']);
    return world.symbols.every((symbol) =>
      placed.some(({ transId, order }) => order.network === symbol && seen.has(transId)),
    );
  };
  if (!(await waitUntil(world, SEE_MS, isSeen)))
    world.faults.add('payments in late blocks were not read while blocks were late');
  for (const side of sidesOf(world)) side.delay(0);
  world.say(`${placed.length} are paid after their end, in blocks from before it`);
  await untilFollowed(world);
}

export async function drillPairs(world: World, sizes: PairsSizes): Promise<PartFigures> {
  await lackTheSame(world, sizes);
  await runLate(world, sizes);
  const figures = figuresOf(world, await settle(world, SETTLE_MS));
  for (const side of sidesOf(world)) {
    const own = figures.networks[side.symbol];
    if (own) Object.assign(own, { slow_clocks: side.slowBlocks(), common_holes: commonHoles(side) });
  }
  return figures;
}
