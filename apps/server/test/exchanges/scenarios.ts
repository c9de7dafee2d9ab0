import { expect } from 'vitest';
import type { ExchangeFixture, OpenPayment } from '../../rig/exchanges/exchange-fixture.ts';
import {
  addAccount,
  createExchangeReader,
  openPayment,
  pass,
  payQuote,
  poll,
  readerWarnings,
} from '../../rig/exchanges/exchange-fixture.ts';
import { decideAgain, expire } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, endOf, eventsOf, factsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import { openStore } from '../../rig/stores/open-store.ts';

/** The life of an invoice that is paid at an exchange platform, as scenarios for every platform. */

export type ExchangeScenario = [title: string, run: (fixture: ExchangeFixture) => Promise<void>];

const MINUTE = 60;
/** Rows may appear this much after their own time without an invoice expiring wrongly. */
const ROW_DELAY_SECONDS = 120;
const GONE_SECONDS = 10 * MINUTE;
/** A slice of the last day is read again at this interval. */
const SLICE_SECONDS = 150;
const PAYERS = 12;

const status = ({ engine, store }: ExchangeFixture, { transId }: OpenPayment) => statusOf(engine, store, transId);

async function expectCompleted(fixture: ExchangeFixture, { transId }: OpenPayment, id: string, late = false) {
  const { engine, store, account } = fixture;
  const invoice = await lookUp(engine, store, transId);
  if (invoice.status !== 'completed') throw new Error(`The invoice is ${invoice.status}. ${readerWarnings()}`);
  expect(invoice).toMatchObject({
    status: 'completed',
    network_symbol: 'EXCHANGE_PAY',
    to_address: account.uid,
    transaction_hash: id,
  });
  const events = late
    ? [{ event: 'invoice.expired' }, { event: 'invoice.completed' }]
    : [{ event: 'invoice.completed' }];
  expect(await eventsOf(engine, transId)).toMatchObject(events);
  expect(await factsOf(engine, transId)).toMatchObject({ late });
}

async function expectExpired(fixture: ExchangeFixture, open: OpenPayment) {
  expect(await status(fixture, open)).toBe('expired');
  expect(await eventsOf(fixture.engine, open.transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
}

/** Moves the clock to a second after an invoice's end in one step, without polls. */
async function goPastEnd({ engine }: ExchangeFixture, { transId }: OpenPayment): Promise<void> {
  engine.clock.advance(((await endOf(engine, transId)) + 1) * 1_000 - engine.clock.nowMs());
}

/** Polls past the end of an invoice until it is covered, and ends what is due. */
async function endInvoice(fixture: ExchangeFixture, open: OpenPayment): Promise<void> {
  await goPastEnd(fixture, open);
  await poll(fixture);
  await pass(fixture, ROW_DELAY_SECONDS + MINUTE);
  await expire(fixture.engine);
}

/** Payers choose at any time between two reads, however little time has passed. */
async function offered(fixture: ExchangeFixture) {
  const { engine, network, store } = fixture;
  const { clock } = engine;
  await poll(fixture);
  for (const seconds of [1, MINUTE]) {
    clock.advance(seconds * 1_000);
    await setPrices(engine);
    const transId = await newInvoice(engine, store);
    await selectMethod({ database: engine.as('api'), clock }, { transId, network, token: 'USDT' });
  }
}

async function paid(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open);
  await poll(fixture);
  await expectCompleted(fixture, open, id);
}

async function pending(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open, { state: 'pending' });
  await poll(fixture);
  expect(await status(fixture, open)).toBe('processing');
  fixture.fake.settle(id, 'final');
  await poll(fixture);
  await expectCompleted(fixture, open, id);
}

async function failed(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open, { state: 'pending' });
  await poll(fixture);
  expect(await status(fixture, open)).toBe('processing');
  fixture.fake.settle(id, 'failed');
  await poll(fixture);
  expect(await status(fixture, open)).toBe('waiting');
  const again = payQuote(fixture, open);
  await poll(fixture);
  await expectCompleted(fixture, open, again);
}

async function duplicates(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  fixture.fake.misbehave({ kind: 'duplicates' });
  const id = payQuote(fixture, open);
  await poll(fixture);
  await poll(fixture);
  await expectCompleted(fixture, open, id);
  expect(await transfersOf(fixture.engine, id)).toHaveLength(1);
  expect(fixture.fake.counts().duplicates).toBeGreaterThan(0);
}

/** A row that appears within two minutes of its own time never meets an expired invoice. */
async function delayed(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const atMs = (await endOf(fixture.engine, open.transId)) * 1_000;
  const id = payQuote(fixture, open, { atMs, visibleAtMs: atMs + (ROW_DELAY_SECONDS - 1) * 1_000 });
  await goPastEnd(fixture, open);
  for (let waited = 0; waited < ROW_DELAY_SECONDS + MINUTE; waited += 10) {
    await pass(fixture, 10, 10);
    await expire(fixture.engine);
    expect(['waiting', 'completed']).toContain(await status(fixture, open));
  }
  await expectCompleted(fixture, open, id);
}

/** A row that appears after coverage has passed its time completes its invoice late. */
const appearingAfter = (seconds: number) => async (fixture: ExchangeFixture) => {
  const open = await openPayment(fixture);
  const atMs = (await endOf(fixture.engine, open.transId)) * 1_000 - 1_000;
  const id = payQuote(fixture, open, { atMs, visibleAtMs: atMs + seconds * 1_000 });
  await endInvoice(fixture, open);
  await expectExpired(fixture, open);
  await pass(fixture, seconds + 62 * MINUTE, SLICE_SECONDS);
  await expectCompleted(fixture, open, id, true);
  expect(await alarmsOf(fixture.engine, open.transId)).toEqual(['found-late']);
};

async function readerAway(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const unpaid = await openPayment(fixture);
  const id = payQuote(fixture, open, { atMs: (await endOf(fixture.engine, open.transId)) * 1_000 });
  await goPastEnd(fixture, unpaid);
  fixture.engine.clock.advance(5 * 3_600_000);
  await expire(fixture.engine);
  expect(await status(fixture, open)).toBe('waiting');
  await poll(fixture, createExchangeReader(fixture.engine, fixture.network, fixture.store));
  await expire(fixture.engine);
  await expectCompleted(fixture, open, id);
  expect(await status(fixture, unpaid)).toBe('waiting');
  await pass(fixture, 2 * MINUTE);
  await expire(fixture.engine);
  await expectExpired(fixture, unpaid);
}

/** A clock of ours that jumps ahead neither covers what has not happened yet nor makes a payment vanish. */
async function clockJumps(fixture: ExchangeFixture) {
  const { engine, fake } = fixture;
  const paidEarlier = await openPayment(fixture);
  const id = payQuote(fixture, paidEarlier);
  const open = await openPayment(fixture);
  fake.misbehave({ kind: 'hidden', part: 'statement' });
  await poll(fixture);
  // The platform's clock stays where it was: it falls behind ours by as much.
  const reader = { ...fixture.follower, headMs: 3_600_000 };
  const jumpMs = ((await endOf(engine, open.transId)) + 10 * MINUTE) * 1_000 - engine.clock.nowMs();
  engine.clock.advance(jumpMs);
  fake.skew(-jumpMs);
  for (const measured of fixture.follower.memory.measured.values()) measured.atMs = engine.clock.nowMs() - 30_000;
  await poll(fixture, reader);
  await poll(fixture, reader);
  await expire(engine);
  expect(await status(fixture, open)).toBe('waiting');
  expect(await isStopped(fixture, fixture.account.uid)).toBe(false);
  fake.misbehave(null);
  fake.skew(0);
  await poll(fixture);
  await expectCompleted(fixture, paidEarlier, id);
}

/** An answer without the newest row looks complete: the row is read again later. */
async function lagging(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open);
  fixture.fake.misbehave({ kind: 'hidden', part: 'statement' });
  await pass(fixture, MINUTE, 10);
  expect(await status(fixture, open)).toBe('waiting');
  fixture.fake.misbehave(null);
  await poll(fixture);
  await expectCompleted(fixture, open, id);
}

async function outage(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const unpaid = await openPayment(fixture);
  const id = payQuote(fixture, open, { atMs: (await endOf(fixture.engine, open.transId)) * 1_000 });
  for (const kind of ['html', 'malformed', 'cut'] as const) {
    fixture.fake.misbehave({ kind });
    await goPastEnd(fixture, unpaid);
    await pass(fixture, 3 * MINUTE);
    await expire(fixture.engine);
    expect(await status(fixture, open)).toBe('waiting');
  }
  fixture.fake.misbehave(null);
  await pass(fixture, 3 * MINUTE);
  await expire(fixture.engine);
  await expectCompleted(fixture, open, id);
  await expectExpired(fixture, unpaid);
}

async function together(fixture: ExchangeFixture) {
  const opened: OpenPayment[] = [];
  for (let payer = 0; payer < PAYERS; payer += 1) opened.push(await openPayment(fixture));
  const ids = opened.map((open) => payQuote(fixture, open));
  const readers = [fixture.follower, createExchangeReader(fixture.engine, fixture.network, fixture.store)];
  await Promise.all(readers.map((reader) => poll(fixture, reader)));
  await poll(fixture);
  for (const [place, open] of opened.entries()) await expectCompleted(fixture, open, ids[place] ?? '');
}

const unmatched = (byUnits: bigint) => async (fixture: ExchangeFixture) => {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open, {}, byUnits);
  await poll(fixture);
  expect(await status(fixture, open)).toBe('waiting');
  expect(await transfersOf(fixture.engine, id)).toMatchObject([{ reason: expect.any(String), trans_id: null }]);
  await endInvoice(fixture, open);
  await expectExpired(fixture, open);
};

async function tooLate(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  await goPastEnd(fixture, open);
  const id = payQuote(fixture, open);
  await pass(fixture, ROW_DELAY_SECONDS + MINUTE);
  await expire(fixture.engine);
  await expectExpired(fixture, open);
  expect(await transfersOf(fixture.engine, id)).toMatchObject([{ reason: 'late', canonical: true }]);
}

async function foreign(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  for (const more of [
    { token: 'DOGE' },
    { amount: '0' },
    { amount: `-${open.quote.tokenAmount}` },
    { way: 'chain' as const },
  ])
    payQuote(fixture, open, more);
  await poll(fixture);
  expect(await status(fixture, open)).toBe('waiting');
  const { rows } = await fixture.engine.database.pool.query('select from transfers where to_address = $1', [
    fixture.account.uid,
  ]);
  expect(rows).toHaveLength(0);
}

async function refunded(fixture: ExchangeFixture) {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open);
  await poll(fixture);
  fixture.fake.refund(id);
  await pass(fixture, GONE_SECONDS + 2 * MINUTE);
  await expectCompleted(fixture, open, id);
  expect(await alarmsOf(fixture.engine, open.transId)).toEqual([]);
}

async function isStopped({ engine, network }: ExchangeFixture, account: string): Promise<boolean> {
  const { rows } = await engine.database.pool.query<{ stopped: boolean }>(
    'select stopped_at is not null as stopped from exchange_accounts where network = $1 and account = $2',
    [network, account],
  );
  return rows[0]?.stopped === true;
}

/** Only the account that lost a payment stops, and it continues when the payment is back. */
async function vanished(fixture: ExchangeFixture) {
  const { engine, fake, account } = fixture;
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open);
  await poll(fixture);
  await expectCompleted(fixture, open, id);
  const another = await openStore(engine.database, { clock: engine.clock, wallet: false });
  const other = { ...fixture, store: another, account: await addAccount(fixture, another) };
  fake.vanish(id);
  await pass(fixture, GONE_SECONDS - MINUTE);
  expect(await isStopped(fixture, account.uid)).toBe(false);
  await pass(fixture, 3 * MINUTE);
  expect(await isStopped(fixture, account.uid)).toBe(true);
  expect(await status(fixture, open)).toBe('completed');
  expect(await alarmsOf(engine, open.transId)).toEqual(['payment-reverted']);
  expect(await alarmsOf(engine, `${fixture.network} ${account.uid}`)).toEqual(['exchange-account-stopped']);
  const elsewhere = { ...other, follower: createExchangeReader(engine, fixture.network, another) };
  const paidElsewhere = await openPayment(elsewhere);
  const elsewhereId = payQuote(elsewhere, paidElsewhere);
  await poll(elsewhere);
  await expectCompleted(elsewhere, paidElsewhere, elsewhereId);
  expect(await isStopped(fixture, account.uid)).toBe(true);
  fake.restore(id);
  await pass(fixture, MINUTE);
  expect(await isStopped(fixture, account.uid)).toBe(false);
}

/** A row counts as gone only when it was missing for ten minutes without a break. */
async function missingTwice(fixture: ExchangeFixture) {
  const { fake, account } = fixture;
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open);
  await poll(fixture);
  fake.vanish(id);
  await poll(fixture);
  fake.restore(id);
  await pass(fixture, GONE_SECONDS + 5 * MINUTE);
  fake.vanish(id);
  await pass(fixture, MINUTE);
  expect(await isStopped(fixture, account.uid)).toBe(false);
  fake.restore(id);
  await poll(fixture);
  await expectCompleted(fixture, open, id);
}

async function stopped(fixture: ExchangeFixture) {
  const first = await openPayment(fixture);
  const [second, unpaid] = [await openPayment(fixture), await openPayment(fixture)];
  const lost = payQuote(fixture, first);
  await poll(fixture);
  fixture.fake.vanish(lost);
  await pass(fixture, GONE_SECONDS + 2 * MINUTE);
  const id = payQuote(fixture, second);
  await poll(fixture);
  expect(await status(fixture, second)).toBe('processing');
  await endInvoice(fixture, unpaid);
  expect(await status(fixture, unpaid)).toBe('waiting');
  fixture.fake.restore(lost);
  // By now only the slices of the last day show the row.
  await pass(fixture, 65 * MINUTE, SLICE_SECONDS);
  await decideAgain(fixture.engine);
  await expire(fixture.engine);
  await expectCompleted(fixture, second, id);
  await expectExpired(fixture, unpaid);
}

export const EXCHANGE_SCENARIOS: ExchangeScenario[] = [
  ['a platform that was read within a minute is offered', offered],
  ['a payment completes its invoice in the poll that shows it', paid],
  ['a pending payment is in progress, and completes once it is final', pending],
  ['a pending payment that fails gives its invoice back', failed],
  ['a row that is served twice pays once', duplicates],
  ['a row that appears within two minutes meets an open invoice', delayed],
  ['a row that appears five minutes late completes its invoice late', appearingAfter(5 * MINUTE)],
  ['a row that appears two hours late completes its invoice late', appearingAfter(120 * MINUTE)],
  ['what arrived while nobody read is found before anything expires', readerAway],
  ['a row that answers left out is found by the next reads', lagging],
  ['while a platform gives no usable answer nothing expires', outage],
  ['a clock of ours that jumps ahead expires and loses nothing', clockJumps],
  ['many payers at once, read by two readers, each pay their own invoice', together],
  ['a payment of too little pays nothing', unmatched(-1n)],
  ['a payment of too much pays nothing', unmatched(1n)],
  ['a payment after the end pays nothing', tooLate],
  ['foreign coins, nothing, negative amounts and deposits from chains are no payments', foreign],
  ['a refund changes nothing about a completed invoice', refunded],
  ['a payment that vanishes after completion stops its account alone, until it is back', vanished],
  ['a row that was missing twice, and shown in between, does not stop its account', missingTwice],
  ['nothing completes or expires at a stopped account', stopped],
];
