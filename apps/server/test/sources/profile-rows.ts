import { expect } from 'vitest';
import { tierFor, parseTier } from '../../src/networks/finality.ts';
import { findNetwork } from '../../src/networks/network.ts';
import { endOf, eventsOf, expire, lookUp, statusOf, transfersOf } from '../engine/shop.ts';
import type { ProfileRig, Refusal } from './profile-rig.ts';
import type { Open, World } from './world.ts';
import { followToEnd, goTo, keepUp, openQuote, pay, reorg } from './world.ts';

/** What each of the nine networks goes through at its own pace: few rows, each with one thing that really happens there. */

export type ProfileWorld = World<ProfileRig>;
export type ProfileRow = [title: string, run: (world: ProfileWorld) => Promise<void>];

const FIFTY_DOLLARS = 5_000_000_000n;
/** How often the chain is followed while time passes. */
const STEP_SECONDS = 3;
/** Longer than first and second reads are apart. */
const SPARE_SECONDS = 90;
const LAG_BLOCKS = 6;
const LAG_SECONDS = 45;
const OUTAGE_SECONDS = 600;
const REFUSED_SECONDS = 20;

/** How long the network takes to settle a payment of fifty dollars. */
function settleSeconds({ rig }: ProfileWorld): number {
  const network = findNetwork(rig.network);
  const rule = parseTier(tierFor(network?.policy ?? [], FIFTY_DOLLARS));
  const { blockSeconds, finalizedLagBlocks, unexecutedSeconds } = rig.profile;
  if (rule.kind === 'age') return rule.seconds;
  const blocks = rule.kind === 'confirmations' ? rule.count : finalizedLagBlocks.most;
  return blocks * blockSeconds + unexecutedSeconds;
}

/** Time passes and the chain is followed, until something holds. */
async function live(world: ProfileWorld, seconds: number, holds: () => Promise<boolean>): Promise<void> {
  const step = Math.max(STEP_SECONDS, world.rig.blockSeconds);
  for (let passed = 0; passed < seconds; passed += step) {
    keepUp(world, await world.rig.pass(step));
    await followToEnd(world);
    await expire(world.shop);
    if (await holds()) return;
  }
}

const status = ({ shop, store }: ProfileWorld, { transId }: Open) => statusOf(shop, store, transId);

async function untilCompleted(world: ProfileWorld, open: Open, txId: string): Promise<void> {
  const isCompleted = async () => (await status(world, open)) === 'completed';
  await live(world, settleSeconds(world) + SPARE_SECONDS, isCompleted);
  expect(await lookUp(world.shop, world.store, open.transId)).toMatchObject({
    status: 'completed',
    transaction_hash: txId,
  });
  expect(await eventsOf(world.shop, open.transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
  expect((await transfersOf(world.shop, txId)).filter(({ canonical }) => canonical)).toHaveLength(1);
}

/** Nothing happens until its end; a while after it, it has ended. */
async function untilExpired(world: ProfileWorld, open: Open): Promise<void> {
  const end = await endOf(world.shop, open.transId);
  goTo(world, end + 1);
  keepUp(world, await world.rig.mine(1, { atTime: end + 1 }));
  await live(world, settleSeconds(world) + SPARE_SECONDS, async () => (await status(world, open)) === 'expired');
  expect(await status(world, open)).toBe('expired');
}

async function paidAndUnpaid(world: ProfileWorld): Promise<void> {
  const paid = await openQuote(world);
  const unpaid = await openQuote(world);
  await untilCompleted(world, paid, await pay(world, paid));
  expect(await status(world, unpaid)).toBe('waiting');
  await untilExpired(world, unpaid);
}

async function lateLog(world: ProfileWorld): Promise<void> {
  const { rig } = world;
  const open = await openQuote(world);
  const before = rig.faults().indexLag;
  // Longer than the chain goes unread.
  rig.lagLogs(Math.ceil(Math.max(LAG_BLOCKS, (2 * STEP_SECONDS) / rig.blockSeconds)));
  const txId = await pay(world, open);
  await live(world, LAG_SECONDS, async () => false);
  expect(rig.faults().indexLag).toBeGreaterThan(before);
  rig.lagLogs(0);
  await untilCompleted(world, open, txId);
}

/** Deep enough to be seen where the network's rule leaves room for it, and never deeper than the rule. */
function reorgDepth({ rig }: ProfileWorld): number {
  const most = Math.floor(settleSeconds({ rig } as ProfileWorld) / rig.blockSeconds) - 1;
  return Math.max(1, Math.min(LAG_BLOCKS, most, rig.profile.finalizedLagBlocks.least));
}

async function reorgedOut(world: ProfileWorld): Promise<void> {
  const open = await openQuote(world);
  const depth = reorgDepth(world);
  await pay(world, open);
  keepUp(world, await world.rig.mine(depth, {}));
  await followToEnd(world);
  await reorg(world, depth);
  const again = await pay(world, open);
  await untilCompleted(world, open, again);
}

async function backlog(world: ProfileWorld): Promise<void> {
  const { rig } = world;
  const first = await openQuote(world);
  const second = await openQuote(world, rig.coin);
  await rig.down();
  const txIds = [await pay(world, first)];
  keepUp(world, await rig.pass(OUTAGE_SECONDS / 2));
  txIds.push(await pay(world, second));
  keepUp(world, await rig.pass(OUTAGE_SECONDS / 2));
  await followToEnd(world);
  expect([await status(world, first), await status(world, second)]).toEqual(['waiting', 'waiting']);
  await rig.up();
  await untilCompleted(world, first, txIds[0] ?? '');
  await untilCompleted(world, second, txIds[1] ?? '');
}

async function refused(world: ProfileWorld, kind: Refusal): Promise<void> {
  const { rig } = world;
  const open = await openQuote(world);
  // A crowd is met where much is read at once.
  if (kind === 'crowd') await rig.down();
  await rig.refuse(kind);
  const txId = await pay(world, open);
  keepUp(world, await rig.pass(REFUSED_SECONDS));
  await live(world, REFUSED_SECONDS, async () => false);
  if (kind === 'crowd') await rig.up();
  await rig.refuse(null);
  await untilCompleted(world, open, txId);
}

async function refusedInEachWay(world: ProfileWorld): Promise<void> {
  const { rig } = world;
  // An open amount of the coin: whole blocks are read.
  await openQuote(world, rig.coin);
  for (const kind of rig.refusals) await refused(world, kind);
  const { limits } = rig.faults();
  if (rig.refusals.includes('crowd') && limits.bytes + limits.results === 0) throw new Error('No limit was met.');
}

export const PROFILE_ROWS: ProfileRow[] = [
  ['one payment completes, and what nobody paid expires', paidAndUnpaid],
  ['logs that are a little behind their headers delay a payment and lose nothing', lateLog],
  ['a payment that a reorg took is paid again, and completes once', reorgedOut],
  ['ten minutes without an answer: what was paid meanwhile completes', backlog],
  ['refused in each way that this network knows: the reader comes through', refusedInEachWay],
];
