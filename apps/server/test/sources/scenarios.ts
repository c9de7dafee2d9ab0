import { expect } from 'vitest';
import { endOf, eventsOf, expire, factsOf, lookUp, statusOf, transfersOf } from '../engine/shop.ts';
import { dieAt } from './doomed-worker.ts';
import type { Deaths } from './rig.ts';
import type { Open, World } from './world.ts';
import {
  coveredOf,
  followReorg,
  followTo,
  followToEnd,
  goTo,
  mineAt,
  mineNow,
  openAnother,
  openQuote,
  pay,
  reorg,
  settle,
} from './world.ts';

/** The life of an invoice, told once for every source. */

export type Scenario = [title: string, run: (world: World) => Promise<void>];

type Kind = 'token' | 'coin';
const KINDS: Kind[] = ['token', 'coin'];
const SEEN_BLOCKS = 6;
const MOVED_BY = 3;
const PAYERS = 40;
const PAYERS_PER_BLOCK = 4;

const symbolOf = ({ rig }: World, kind: Kind) => (kind === 'coin' ? rig.coin : rig.token);
const status = ({ shop, store }: World, transId: string) => statusOf(shop, store, transId);

/** A coin that only the final view shows is not seen before. */
function seenStatus({ rig }: World, kind: Kind): string {
  return kind === 'coin' && !rig.seesCoinsEarly ? 'waiting' : 'processing';
}

async function expectCompleted({ shop, store }: World, transId: string, txId: string): Promise<void> {
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: txId });
  expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
  expect(await factsOf(shop, transId)).toMatchObject({ late: false });
}

async function expectExpired({ shop, store }: World, transId: string): Promise<void> {
  expect(await statusOf(shop, store, transId)).toBe('expired');
  expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
}

const paid = (kind: Kind) => async (world: World) => {
  const open = await openQuote(world, symbolOf(world, kind));
  expect(await status(world, open.transId)).toBe('waiting');
  const txId = await pay(world, open);
  await mineNow(world, SEEN_BLOCKS);
  await followToEnd(world);
  expect(await status(world, open.transId)).toBe(seenStatus(world, kind));
  expect(await eventsOf(world.shop, open.transId)).toEqual([]);
  await settle(world);
  await expectCompleted(world, open.transId, txId);
  expect(await lookUp(world.shop, world.store, open.transId)).toMatchObject({
    token_symbol: open.quote.token,
    network_symbol: world.rig.network,
    fee_amount: '0.25',
  });
  expect(world.reader.counts.disagreements).toBe(0);
};

const atTheEnd = (kind: Kind) => async (world: World) => {
  const open = await openQuote(world, symbolOf(world, kind));
  const end = await endOf(world.shop, open.transId);
  const txId = await pay(world, open);
  await mineAt(world, end);
  await expire(world.shop);
  await settle(world);
  await expire(world.shop);
  await expectCompleted(world, open.transId, txId);
};

const late = (kind: Kind) => async (world: World) => {
  const open = await openQuote(world, symbolOf(world, kind));
  const end = await endOf(world.shop, open.transId);
  goTo(world, end + 1);
  const txId = await pay(world, open);
  await mineAt(world, end + 1);
  await settle(world);
  await expire(world.shop);
  await expectExpired(world, open.transId);
  expect(await transfersOf(world.shop, txId)).toMatchObject([{ reason: 'late', canonical: true }]);
};

const short = (kind: Kind) => async (world: World) => {
  const open = await openQuote(world, symbolOf(world, kind));
  const txId = await pay(world, open, -1n);
  await settle(world);
  expect(await status(world, open.transId)).toBe('waiting');
  expect(await transfersOf(world.shop, txId)).toMatchObject([{ reason: expect.any(String), trans_id: null }]);
  goTo(world, (await endOf(world.shop, open.transId)) + 1);
  await settle(world);
  await expire(world.shop);
  await expectExpired(world, open.transId);
};

async function reorgedOut(world: World): Promise<void> {
  const open = await openQuote(world);
  const lost = await pay(world, open);
  await mineNow(world, SEEN_BLOCKS);
  await followToEnd(world);
  expect(await status(world, open.transId)).toBe('processing');
  await reorg(world, SEEN_BLOCKS);
  await followReorg(world);
  expect(await status(world, open.transId)).toBe('waiting');
  expect(await transfersOf(world.shop, lost)).toMatchObject([{ canonical: false }]);
  expect(await eventsOf(world.shop, open.transId)).toEqual([]);
  const again = await pay(world, open);
  await settle(world);
  await expectCompleted(world, open.transId, again);
}

async function moved(world: World): Promise<void> {
  const open = await openQuote(world);
  const txId = await pay(world, open);
  await mineNow(world, SEEN_BLOCKS);
  await followToEnd(world);
  const head = await reorg(world, SEEN_BLOCKS, [{ txId, offset: MOVED_BY }]);
  await mineNow(world, 4);
  await followToEnd(world);
  expect(await status(world, open.transId)).toBe('processing');
  const height = head - (SEEN_BLOCKS - 1) + MOVED_BY;
  expect(await transfersOf(world.shop, txId)).toMatchObject([{ height, canonical: true }]);
  await settle(world);
  await expectCompleted(world, open.transId, txId);
}

const sharesOf = (open: readonly Open[]) =>
  open.map(({ quote, units }) => ({ token: quote.token, to: quote.toAddress, units }));

async function expectOneEach({ shop }: World, txId: string, open: readonly Open[]): Promise<void> {
  const payers = (await transfersOf(shop, txId)).map(({ trans_id }) => trans_id);
  expect(payers).toHaveLength(open.length);
  expect(new Set(payers)).toEqual(new Set(open.map(({ transId }) => transId)));
}

async function together(world: World): Promise<void> {
  const open: Open[] = [];
  for (const token of world.rig.toldApart) open.push(await openQuote(world, token));
  expect(new Set(open.map(({ quote }) => quote.toAddress)).size).toBe(1);
  const txId = await world.rig.payTogether(sharesOf(open));
  await settle(world);
  for (const { transId } of open) await expectCompleted(world, transId, txId);
  await expectOneEach(world, txId, open);
}

async function togetherApart(world: World): Promise<void> {
  const worlds = [await openAnother(world), await openAnother(world), await openAnother(world)];
  const open: Open[] = [];
  for (const other of worlds) open.push(await openQuote(other));
  const txId = await world.rig.payTogether(sharesOf(open));
  await settle(world);
  for (const [place, { transId }] of open.entries()) await expectCompleted(worlds[place] ?? world, transId, txId);
  await expectOneEach(world, txId, open);
}

async function lagging(world: World): Promise<void> {
  const open = [];
  for (let count = 0; count < PAYERS; count += 1) open.push(await openQuote(world));
  const txIds: string[] = [];
  const { rewinds } = world.reader.counts;
  world.rig.lag(0.4, 3);
  for (let start = 0; start < open.length; start += PAYERS_PER_BLOCK) {
    for (const one of open.slice(start, start + PAYERS_PER_BLOCK)) txIds.push(await pay(world, one));
    await mineNow(world);
    await world.reader.step();
  }
  const height = await mineNow(world);
  await mineNow(world, world.rig.finalDepth + SEEN_BLOCKS);
  await followTo(world, height);
  world.rig.lag(0, 0);
  await followToEnd(world);
  for (const [place, { transId }] of open.entries()) await expectCompleted(world, transId, txIds[place] ?? '');
  expect(world.reader.counts.rewinds).toBe(rewinds);
}

async function downAcrossTheEnd(world: World): Promise<void> {
  const paidOne = await openQuote(world);
  const unpaid = await openQuote(world);
  const covered = await coveredOf(world);
  await world.rig.down();
  const txId = await pay(world, paidOne);
  await mineAt(world, await endOf(world.shop, paidOne.transId));
  goTo(world, (await endOf(world.shop, unpaid.transId)) + 60);
  await mineNow(world, world.rig.finalDepth + SEEN_BLOCKS);
  await followToEnd(world);
  await expire(world.shop);
  expect(await status(world, paidOne.transId)).toBe('waiting');
  expect(await status(world, unpaid.transId)).toBe('waiting');
  expect(await coveredOf(world)).toBe(covered);
  await world.rig.up();
  await followToEnd(world);
  await expire(world.shop);
  await expectCompleted(world, paidOne.transId, txId);
  await expectExpired(world, unpaid.transId);
}

const killed = (where: keyof Deaths) => async (world: World) => {
  const [seen, settled] = world.rig.failpoints[where];
  const open = await openQuote(world);
  const txId = await pay(world, open);
  await mineNow(world, SEEN_BLOCKS);
  await dieAt(world, seen);
  await followToEnd(world);
  expect(await status(world, open.transId)).toBe('processing');
  await mineNow(world, world.rig.finalDepth + SEEN_BLOCKS);
  await dieAt(world, settled);
  await followToEnd(world);
  await expectCompleted(world, open.transId, txId);
  expect(await transfersOf(world.shop, txId)).toHaveLength(1);
};

export const SCENARIOS: Scenario[] = [
  ...KINDS.map((kind): Scenario => [
    `paid with a ${kind}: waiting, seen, completed, one event, its fee taken`,
    paid(kind),
  ]),
  ...KINDS.map((kind): Scenario => [`paid with a ${kind} in the very last second: completed`, atTheEnd(kind)]),
  ...KINDS.map((kind): Scenario => [`paid with a ${kind} a second late: expired, and the money is kept`, late(kind)]),
  ...KINDS.map((kind): Scenario => [
    `paid one unit short with a ${kind}: kept with a reason, and expired`,
    short(kind),
  ]),
  ['reorged out: back to waiting, and paid again', reorgedOut],
  ['the same transaction in another block: it moves, and completes once', moved],
  ['three invoices of one address paid by one transaction: each by the transfer that can be told apart', together],
  ['three stores paid by one transaction: each by its own transfer', togetherApart],
  ['40 payments through backends that lag and split batches: none lost, none twice', lagging],
  ['nobody answers across the end: invoices wait; then the paid one completes and the other expires', downAcrossTheEnd],
  ['killed while recording what it saw, and while covering it', killed('recorded')],
  ['killed inside both commits', killed('inside')],
  ['killed after both commits', killed('after')],
];
