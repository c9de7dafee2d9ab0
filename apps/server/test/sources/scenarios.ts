import { expect } from 'vitest';
import { endOf, eventsOf, factsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { killWorkerBeside } from '../../rig/chains/kill-worker-beside.ts';
import type { Deaths } from '../../rig/chains/chain-rig.ts';
import type { Open, ChainFixture } from '../../rig/chains/chain-fixture.ts';
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
} from '../../rig/chains/chain-fixture.ts';

/** The life of an invoice as scenarios for every source. */

export type Scenario = [title: string, run: (fixture: ChainFixture) => Promise<void>];

type Kind = 'token' | 'coin';
const KINDS: Kind[] = ['token', 'coin'];
const SEEN_BLOCKS = 6;
const MOVED_BY = 3;
const PAYERS = 40;
const PAYERS_PER_BLOCK = 4;

const symbolOf = ({ rig }: ChainFixture, kind: Kind) => (kind === 'coin' ? rig.coin : rig.token);
const status = ({ engine, store }: ChainFixture, transId: string) => statusOf(engine, store, transId);

/** Status of a payment that was read before it is final: coins that only the final view shows are not seen yet. */
function seenStatus({ rig }: ChainFixture, kind: Kind): string {
  return kind === 'coin' && !rig.seesCoinsEarly ? 'waiting' : 'processing';
}

async function expectCompleted({ engine, store }: ChainFixture, transId: string, txId: string): Promise<void> {
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: txId });
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
  expect(await factsOf(engine, transId)).toMatchObject({ late: false });
}

async function expectExpired({ engine, store }: ChainFixture, transId: string): Promise<void> {
  expect(await statusOf(engine, store, transId)).toBe('expired');
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
}

const paid = (kind: Kind) => async (fixture: ChainFixture) => {
  const open = await openQuote(fixture, symbolOf(fixture, kind));
  expect(await status(fixture, open.transId)).toBe('waiting');
  const txId = await pay(fixture, open);
  await mineNow(fixture, SEEN_BLOCKS);
  await followToEnd(fixture);
  expect(await status(fixture, open.transId)).toBe(seenStatus(fixture, kind));
  expect(await eventsOf(fixture.engine, open.transId)).toEqual([]);
  await settle(fixture);
  await expectCompleted(fixture, open.transId, txId);
  expect(await lookUp(fixture.engine, fixture.store, open.transId)).toMatchObject({
    token_symbol: open.quote.token,
    network_symbol: fixture.rig.network,
    fee_amount: '0.25',
  });
  expect(fixture.reader.counts.disagreements).toBe(0);
};

const atTheEnd = (kind: Kind) => async (fixture: ChainFixture) => {
  const open = await openQuote(fixture, symbolOf(fixture, kind));
  const end = await endOf(fixture.engine, open.transId);
  const txId = await pay(fixture, open);
  await mineAt(fixture, end);
  await expire(fixture.engine);
  await settle(fixture);
  await expire(fixture.engine);
  await expectCompleted(fixture, open.transId, txId);
};

const late = (kind: Kind) => async (fixture: ChainFixture) => {
  const open = await openQuote(fixture, symbolOf(fixture, kind));
  const end = await endOf(fixture.engine, open.transId);
  goTo(fixture, end + 1);
  const txId = await pay(fixture, open);
  await mineAt(fixture, end + 1);
  await settle(fixture);
  await expire(fixture.engine);
  await expectExpired(fixture, open.transId);
  expect(await transfersOf(fixture.engine, txId)).toMatchObject([{ reason: 'late', canonical: true }]);
};

const short = (kind: Kind) => async (fixture: ChainFixture) => {
  const open = await openQuote(fixture, symbolOf(fixture, kind));
  const txId = await pay(fixture, open, -1n);
  await settle(fixture);
  expect(await status(fixture, open.transId)).toBe('waiting');
  expect(await transfersOf(fixture.engine, txId)).toMatchObject([{ reason: expect.any(String), trans_id: null }]);
  goTo(fixture, (await endOf(fixture.engine, open.transId)) + 1);
  await settle(fixture);
  await expire(fixture.engine);
  await expectExpired(fixture, open.transId);
};

async function reorgedOut(fixture: ChainFixture): Promise<void> {
  const open = await openQuote(fixture);
  const lost = await pay(fixture, open);
  await mineNow(fixture, SEEN_BLOCKS);
  await followToEnd(fixture);
  expect(await status(fixture, open.transId)).toBe('processing');
  await reorg(fixture, SEEN_BLOCKS);
  await followReorg(fixture);
  expect(await status(fixture, open.transId)).toBe('waiting');
  expect(await transfersOf(fixture.engine, lost)).toMatchObject([{ canonical: false }]);
  expect(await eventsOf(fixture.engine, open.transId)).toEqual([]);
  const again = await pay(fixture, open);
  await settle(fixture);
  await expectCompleted(fixture, open.transId, again);
}

async function moved(fixture: ChainFixture): Promise<void> {
  const open = await openQuote(fixture);
  const txId = await pay(fixture, open);
  await mineNow(fixture, SEEN_BLOCKS);
  await followToEnd(fixture);
  const head = await reorg(fixture, SEEN_BLOCKS, [{ txId, offset: MOVED_BY }]);
  await mineNow(fixture, 4);
  await followToEnd(fixture);
  expect(await status(fixture, open.transId)).toBe('processing');
  const height = head - (SEEN_BLOCKS - 1) + MOVED_BY;
  expect(await transfersOf(fixture.engine, txId)).toMatchObject([{ height, canonical: true }]);
  await settle(fixture);
  await expectCompleted(fixture, open.transId, txId);
}

const sharesOf = (open: readonly Open[]) =>
  open.map(({ quote, units }) => ({ token: quote.token, to: quote.toAddress, units }));

async function expectOneEach({ engine }: ChainFixture, txId: string, open: readonly Open[]): Promise<void> {
  const payers = (await transfersOf(engine, txId)).map(({ trans_id }) => trans_id);
  expect(payers).toHaveLength(open.length);
  expect(new Set(payers)).toEqual(new Set(open.map(({ transId }) => transId)));
}

async function together(fixture: ChainFixture): Promise<void> {
  const open: Open[] = [];
  for (const token of fixture.rig.toldApart) open.push(await openQuote(fixture, token));
  expect(new Set(open.map(({ quote }) => quote.toAddress)).size).toBe(1);
  const txId = await fixture.rig.payTogether(sharesOf(open));
  await settle(fixture);
  for (const { transId } of open) await expectCompleted(fixture, transId, txId);
  await expectOneEach(fixture, txId, open);
}

async function togetherApart(fixture: ChainFixture): Promise<void> {
  const worlds = [await openAnother(fixture), await openAnother(fixture), await openAnother(fixture)];
  const open: Open[] = [];
  for (const other of worlds) open.push(await openQuote(other));
  const txId = await fixture.rig.payTogether(sharesOf(open));
  await settle(fixture);
  for (const [place, { transId }] of open.entries()) await expectCompleted(worlds[place] ?? fixture, transId, txId);
  await expectOneEach(fixture, txId, open);
}

async function lagging(fixture: ChainFixture): Promise<void> {
  const open = [];
  for (let count = 0; count < PAYERS; count += 1) open.push(await openQuote(fixture));
  const txIds: string[] = [];
  const { rewinds } = fixture.reader.counts;
  fixture.rig.lag(0.4, 3);
  for (let start = 0; start < open.length; start += PAYERS_PER_BLOCK) {
    for (const one of open.slice(start, start + PAYERS_PER_BLOCK)) txIds.push(await pay(fixture, one));
    await mineNow(fixture);
    await fixture.reader.step();
  }
  const height = await mineNow(fixture);
  await mineNow(fixture, fixture.rig.finalDepth + SEEN_BLOCKS);
  await followTo(fixture, height);
  fixture.rig.lag(0, 0);
  await followToEnd(fixture);
  for (const [place, { transId }] of open.entries()) await expectCompleted(fixture, transId, txIds[place] ?? '');
  expect(fixture.reader.counts.rewinds).toBe(rewinds);
}

async function downAcrossTheEnd(fixture: ChainFixture): Promise<void> {
  const paidOne = await openQuote(fixture);
  const unpaid = await openQuote(fixture);
  const covered = await coveredOf(fixture);
  await fixture.rig.down();
  const txId = await pay(fixture, paidOne);
  await mineAt(fixture, await endOf(fixture.engine, paidOne.transId));
  goTo(fixture, (await endOf(fixture.engine, unpaid.transId)) + 60);
  await mineNow(fixture, fixture.rig.finalDepth + SEEN_BLOCKS);
  await followToEnd(fixture);
  await expire(fixture.engine);
  expect(await status(fixture, paidOne.transId)).toBe('waiting');
  expect(await status(fixture, unpaid.transId)).toBe('waiting');
  expect(await coveredOf(fixture)).toBe(covered);
  await fixture.rig.up();
  await followToEnd(fixture);
  await expire(fixture.engine);
  await expectCompleted(fixture, paidOne.transId, txId);
  await expectExpired(fixture, unpaid.transId);
}

const killed = (where: keyof Deaths) => async (fixture: ChainFixture) => {
  const [seen, settled] = fixture.rig.failpoints[where];
  const open = await openQuote(fixture);
  const txId = await pay(fixture, open);
  await mineNow(fixture, SEEN_BLOCKS);
  await killWorkerBeside(fixture, seen);
  await followToEnd(fixture);
  expect(await status(fixture, open.transId)).toBe('processing');
  await mineNow(fixture, fixture.rig.finalDepth + SEEN_BLOCKS);
  await killWorkerBeside(fixture, settled);
  await followToEnd(fixture);
  await expectCompleted(fixture, open.transId, txId);
  expect(await transfersOf(fixture.engine, txId)).toHaveLength(1);
};

export const SCENARIOS: Scenario[] = [
  ...KINDS.map((kind): Scenario => [
    `an invoice paid with a ${kind}: waiting, seen, completed, one event, its fee taken`,
    paid(kind),
  ]),
  ...KINDS.map((kind): Scenario => [
    `an invoice paid with a ${kind} in the very last second: completed`,
    atTheEnd(kind),
  ]),
  ...KINDS.map((kind): Scenario => [
    `an invoice paid with a ${kind} a second late: expired, and the transfer is recorded`,
    late(kind),
  ]),
  ...KINDS.map((kind): Scenario => [
    `an invoice paid one unit short with a ${kind}: recorded with a reason, and expired`,
    short(kind),
  ]),
  ['a payment that is reorged out: back to waiting, and paid again', reorgedOut],
  ['the same transaction in another block: it moves, and completes once', moved],
  ['three invoices of one address paid by one transaction: each by its own transfer', together],
  ['three stores paid by one transaction: each by its own transfer', togetherApart],
  ['40 payments through backends that lag and split batches: none lost, none twice', lagging],
  [
    'no provider answers across the end: invoices wait; then the paid one completes and the other expires',
    downAcrossTheEnd,
  ],
  ['a worker killed while it records what it saw, and while it covers it', killed('recorded')],
  ['a worker killed inside both commits', killed('inside')],
  ['a worker killed after both commits', killed('after')],
];
