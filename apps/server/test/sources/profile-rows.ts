import { expect } from 'vitest';
import { secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { endOf, eventsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import type { ProfileRig, Refusal } from '../../rig/chains/profile-rig.ts';
import { settleSeconds } from '../../rig/chains/profile-rig.ts';
import type { Open, ChainFixture } from '../../rig/chains/chain-fixture.ts';
import { followToEnd, goTo, keepUp, openQuote, pay, reorg } from '../../rig/chains/chain-fixture.ts';

/** Scenarios for each of the nine networks at its own pace, each with one fault that really happens there. */

export type ProfileFixture = ChainFixture<ProfileRig>;
export type ProfileRow = [title: string, run: (fixture: ProfileFixture) => Promise<void>];

/** Interval at which the chain is followed while time passes. */
const STEP_SECONDS = 3;
/** Longer than the time between first and second reads. */
const SPARE_SECONDS = 90;
const LAG_BLOCKS = 6;
const LAG_SECONDS = 45;
const OUTAGE_SECONDS = 600;
const REFUSED_SECONDS = 20;
const HALT_SECONDS = 600;

/** Lets time pass and follows the chain, until a condition holds. */
async function live(fixture: ProfileFixture, seconds: number, holds: () => Promise<boolean>): Promise<void> {
  const step = Math.max(STEP_SECONDS, fixture.rig.blockSeconds);
  for (let passed = 0; passed < seconds; passed += step) {
    keepUp(fixture, await fixture.rig.pass(step));
    await followToEnd(fixture);
    await expire(fixture.engine);
    if (await holds()) return;
  }
}

const status = ({ engine, store }: ProfileFixture, { transId }: Open) => statusOf(engine, store, transId);

async function untilCompleted(fixture: ProfileFixture, open: Open, txId: string): Promise<void> {
  const isCompleted = async () => (await status(fixture, open)) === 'completed';
  await live(fixture, settleSeconds(fixture.rig) + SPARE_SECONDS, isCompleted);
  expect(await lookUp(fixture.engine, fixture.store, open.transId)).toMatchObject({
    status: 'completed',
    transaction_hash: txId,
  });
  expect(await eventsOf(fixture.engine, open.transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
  expect((await transfersOf(fixture.engine, txId)).filter(({ canonical }) => canonical)).toHaveLength(1);
}

/** Goes to the end of an unpaid invoice, and lets time pass until it has expired. */
async function untilExpired(fixture: ProfileFixture, open: Open): Promise<void> {
  const end = await endOf(fixture.engine, open.transId);
  goTo(fixture, end + 1);
  keepUp(fixture, await fixture.rig.mine(1, { atTime: end + 1 }));
  await live(
    fixture,
    settleSeconds(fixture.rig) + SPARE_SECONDS,
    async () => (await status(fixture, open)) === 'expired',
  );
  expect(await status(fixture, open)).toBe('expired');
}

async function paidAndUnpaid(fixture: ProfileFixture): Promise<void> {
  const paid = await openQuote(fixture);
  const unpaid = await openQuote(fixture);
  await untilCompleted(fixture, paid, await pay(fixture, paid));
  expect(await status(fixture, unpaid)).toBe('waiting');
  await untilExpired(fixture, unpaid);
}

async function lateLog(fixture: ProfileFixture): Promise<void> {
  const { rig } = fixture;
  const open = await openQuote(fixture);
  const before = rig.faults().indexLag;
  // Lag longer than the chain goes unread.
  rig.lagLogs(Math.ceil(Math.max(LAG_BLOCKS, (2 * STEP_SECONDS) / rig.blockSeconds)));
  const txId = await pay(fixture, open);
  await live(fixture, LAG_SECONDS, async () => false);
  expect(rig.faults().indexLag).toBeGreaterThan(before);
  rig.lagLogs(0);
  await untilCompleted(fixture, open, txId);
}

/**
 * Depth of a reorg: enough to be noticed where the network's tier leaves room for it, and never deeper than the tier.
 */
function reorgDepth({ rig }: ProfileFixture): number {
  const most = Math.floor(settleSeconds(rig) / rig.blockSeconds) - 1;
  return Math.max(1, Math.min(LAG_BLOCKS, most, rig.profile.finalizedLagBlocks.least));
}

async function reorgedOut(fixture: ProfileFixture): Promise<void> {
  const open = await openQuote(fixture);
  const depth = reorgDepth(fixture);
  await pay(fixture, open);
  keepUp(fixture, await fixture.rig.mine(depth, {}));
  await followToEnd(fixture);
  await reorg(fixture, depth);
  const again = await pay(fixture, open);
  await untilCompleted(fixture, open, again);
}

async function backlog(fixture: ProfileFixture): Promise<void> {
  const { rig } = fixture;
  const first = await openQuote(fixture);
  const second = await openQuote(fixture, rig.coin);
  await rig.down();
  const txIds = [await pay(fixture, first)];
  keepUp(fixture, await rig.pass(OUTAGE_SECONDS / 2));
  txIds.push(await pay(fixture, second));
  keepUp(fixture, await rig.pass(OUTAGE_SECONDS / 2));
  await followToEnd(fixture);
  expect([await status(fixture, first), await status(fixture, second)]).toEqual(['waiting', 'waiting']);
  await rig.up();
  await untilCompleted(fixture, first, txIds[0] ?? '');
  await untilCompleted(fixture, second, txIds[1] ?? '');
}

async function refused(fixture: ProfileFixture, kind: Refusal): Promise<void> {
  const { rig } = fixture;
  const open = await openQuote(fixture);
  // A crowd takes effect where much is read together, so the provider is down while it forms.
  if (kind === 'crowd') await rig.down();
  await rig.refuse(kind);
  const txId = await pay(fixture, open);
  keepUp(fixture, await rig.pass(REFUSED_SECONDS));
  await live(fixture, REFUSED_SECONDS, async () => false);
  if (kind === 'crowd') await rig.up();
  await rig.refuse(null);
  await untilCompleted(fixture, open, txId);
}

async function refusedInEachWay(fixture: ProfileFixture): Promise<void> {
  const { rig } = fixture;
  // An open quote in coins makes the reader fetch whole blocks.
  await openQuote(fixture, rig.coin);
  for (const kind of rig.refusals) await refused(fixture, kind);
  const { limits } = rig.faults();
  if (rig.refusals.includes('crowd') && limits.bytes + limits.results === 0) throw new Error('No limit was met.');
}

async function frozenHead(fixture: ProfileFixture): Promise<void> {
  const { rig } = fixture;
  const open = await openQuote(fixture);
  const before = rig.faults().frozenHeads;
  rig.freeze(true);
  const txId = await pay(fixture, open);
  await live(fixture, LAG_SECONDS, async () => false);
  expect(await status(fixture, open)).toBe('waiting');
  expect(rig.faults().frozenHeads).toBeGreaterThan(before);
  rig.freeze(false);
  await untilCompleted(fixture, open, txId);
}

async function duplicateLogs(fixture: ProfileFixture): Promise<void> {
  const { rig } = fixture;
  const open = await openQuote(fixture);
  const before = rig.faults().duplicateLogs;
  rig.duplicateLogs(true);
  await untilCompleted(fixture, open, await pay(fixture, open));
  rig.duplicateLogs(false);
  if (rig.network !== 'SOL') expect(rig.faults().duplicateLogs).toBeGreaterThan(before);
}

/** After a halt its blocks come together, with times far behind the wall clock. */
async function catchUp(fixture: ProfileFixture): Promise<void> {
  const { engine, rig } = fixture;
  const open = await openQuote(fixture);
  engine.clock.advance(HALT_SECONDS * 1_000);
  const txId = await pay(fixture, open);
  const head = await rig.mine(Math.ceil(HALT_SECONDS / 2 / Math.max(1, rig.blockSeconds)), {});
  expect(secondsNow(engine) - head.time).toBeGreaterThan(HALT_SECONDS / 3);
  await followToEnd(fixture);
  keepUp(fixture, await rig.mine(1, { atTime: secondsNow(engine) }));
  await untilCompleted(fixture, open, txId);
}

export const PROFILE_ROWS: ProfileRow[] = [
  ['a paid invoice completes, and an unpaid one expires', paidAndUnpaid],
  ['logs that are a little behind their headers delay a payment and lose nothing', lateLog],
  ['a payment that a reorg dropped is paid again, and completes once', reorgedOut],
  ['ten minutes without an answer: payments made meanwhile complete', backlog],
  ['a head that stands still while its provider answers delays a payment and loses nothing', frozenHead],
  ['a payment whose log is listed twice completes once', duplicateLogs],
  ['a payment in blocks that come at once after a halt completes', catchUp],
  ['refusals of each kind seen on this network lose no payment', refusedInEachWay],
];
