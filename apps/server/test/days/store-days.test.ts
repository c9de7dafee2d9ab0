import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { countDays } from '../../src/days/count-days.ts';
import { EDGES_SECONDS } from '../../src/days/histogram.ts';
import { addDays, dayOf, startOfDay } from '../../src/days/store-day.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, steadyClock, systemClock } from '../../src/lib/clock.ts';

/** Figures of stores and days, compared with what the test wrote down itself while it changed invoices. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Row = Record<string, unknown>;
type Open = { id: bigint; storeId: bigint; expired: boolean; amount: number; feeMicroUsd: bigint; endsMs: number };

/** A store's trade on a clock of its own, and what it should amount to. */
type Trade = { own: TestDatabase; clock: ManualClock; stores: TestStore[]; open: Open[]; journal: Map<string, Row> };

async function openTrade(startMs: number, storeCount: number): Promise<Trade> {
  const own = await openTestDatabase(inject('template'));
  const stores: TestStore[] = [];
  for (let count = 0; count < storeCount; count += 1) stores.push(await openStore(own.database));
  return { own, clock: createManualClock(startMs), stores, open: [], journal: new Map() };
}

function rowOf({ journal }: Trade, storeId: bigint, atMs: number, network = '', token = ''): Row {
  const day = dayOf(atMs);
  const key = [String(storeId).padStart(9, '0'), day, network, token].join(' ');
  const none = EDGES_SECONDS.map(() => 0);
  const row = journal.get(key) ?? {
    store: String(storeId),
    day,
    network,
    token,
    created: 0,
    completed: 0,
    expired: 0,
    late: 0,
    volume: 0,
    fee: 0n,
    detect: [...none, 0],
    final: [...none, 0],
  };
  journal.set(key, row);
  return row;
}

const add = (row: Row, name: string, count = 1) => {
  row[name] = (row[name] as number) + count;
};

const countDuration = (counts: unknown, ms: number) => {
  const place = EDGES_SECONDS.filter((edge) => edge * 1_000 <= ms).length;
  (counts as number[])[place] = ((counts as number[])[place] ?? 0) + 1;
};

let requests = 0;

async function create(trade: Trade, store: TestStore, amount: number): Promise<void> {
  const { own, clock } = trade;
  requests += 1;
  const body = { amount: String(amount), request_id: `order-${requests}`, merchant_id: store.merchantId };
  const transId = await createMakeInvoice(own.as('api'))(await admitStore(own.as('api'), store), clock, body);
  const { rows } = await own.database.pool.query<{ id: bigint; fee: bigint; ends: Date }>(
    'select id, fee_micro_usd as fee, expires_at as ends from invoices where trans_id = $1',
    [transId],
  );
  const [made] = rows;
  if (!made) throw new Error('The invoice is gone.');
  const { id, fee: feeMicroUsd, ends } = made;
  trade.open.push({ id, storeId: store.id, expired: false, amount, feeMicroUsd, endsMs: ends.getTime() });
  add(rowOf(trade, store.id, clock.nowMs()), 'created');
}

const change = ({ own, clock }: Trade, id: bigint) =>
  inTransaction(own.as('worker'), (tx) => changeInvoices(tx, new Date(clock.nowMs()), [id], new Set([id])));

async function expire(trade: Trade, invoice: Open): Promise<void> {
  await change(trade, invoice.id);
  invoice.expired = true;
  add(rowOf(trade, invoice.storeId, trade.clock.nowMs()), 'expired');
}

type Payment = { network: string; token: string; attached: boolean; seenAfterMs: number; blockAgoMs: number };

async function pay(trade: Trade, invoice: Open, payment: Payment): Promise<void> {
  const { own, clock } = trade;
  const nowMs = clock.nowMs();
  const blockMs = nowMs - payment.blockAgoMs;
  await own.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       invoice_id, attached_by, settled_tier, settled_hash)
     values ($1, 'tx-' || $3::bigint, $2::text || ':0', $2::text, 'payer', 'shop', 5, 1, 'hash', $4, $5, $3, $6, 'finalized', 'hash')`,
    [
      payment.network,
      payment.token,
      invoice.id,
      new Date(blockMs),
      new Date(blockMs + payment.seenAfterMs),
      payment.attached ? 'person' : null,
    ],
  );
  await change(trade, invoice.id);
  trade.open.splice(trade.open.indexOf(invoice), 1);
  const row = rowOf(trade, invoice.storeId, nowMs, payment.network, payment.token);
  add(row, 'completed');
  add(row, 'volume', invoice.amount);
  row['fee'] = (row['fee'] as bigint) + invoice.feeMicroUsd;
  if (invoice.expired || blockMs > invoice.endsMs) add(row, 'late');
  if (payment.attached) return;
  countDuration(row['detect'], payment.seenAfterMs);
  countDuration(row['final'], payment.blockAgoMs);
}

const count = ({ own, clock }: Trade) => countDays({ database: own.as('worker'), clock, steady: steadyClock });

/** Counts until nothing is due. */
async function countAll(trade: Trade): Promise<void> {
  for (let runs = 0; await count(trade); runs += 1) if (runs > 1_000) throw new Error('The count does not end.');
}

async function stored({ own }: Trade): Promise<Row[]> {
  const { rows } = await own.database.pool.query<Row>(
    `select store_id::text as store, day::text as day, network, token, created, completed, expired, late,
       volume_usd::float8 as volume, fee_micro_usd as fee, detect_counts as detect, final_counts as final
     from store_days order by lpad(store_id::text, 9, '0'), day, network, token`,
  );
  return rows;
}

const expected = ({ journal }: Trade) =>
  [...journal].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);

const NETWORKS = ['BSC', 'ETH'];
const STEPS = 80;

describe.each([1, 2])('after random trade across midnights (seed %i)', (seed) => {
  test('figures equal a journal of what happened, at whatever moments they were counted', async () => {
    const random = seededNumbers(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const trade = await openTrade(startOfDay(dayOf(systemClock.nowMs() - 6 * DAY_MS)) + 20 * HOUR_MS, 3);
    const take = (expired: boolean) => {
      const fitting = trade.open.filter((one) => one.expired === expired);
      return fitting[below(fitting.length)];
    };
    const compared: [found: Row[], happened: Row[]][] = [];
    for (let step = 0; step < STEPS; step += 1) {
      trade.clock.advance(below(90) * MINUTE_MS);
      const dice = random();
      const invoice = take(dice > 0.85);
      const store = trade.stores[below(2)];
      if (dice < 0.45 && store) await create(trade, store, 1 + below(50));
      else if (dice < 0.6 && invoice && !invoice.expired) await expire(trade, invoice);
      else if (invoice) {
        const blockAgoMs = below(100 * 1_000);
        const attached = invoice.expired || trade.clock.nowMs() - blockAgoMs > invoice.endsMs;
        const network = NETWORKS[below(2)] ?? '';
        await pay(trade, invoice, {
          network,
          token: 'USDT',
          attached,
          seenAfterMs: below(40 * 1_000) - 500,
          blockAgoMs,
        });
      }
      if (random() < 0.3) await count(trade);
      if (step % 40 !== 39) continue;
      trade.clock.advance(HOUR_MS);
      await countAll(trade);
      compared.push([await stored(trade), structuredClone(expected(trade))]);
    }
    for (const [found, happened] of compared) expect(found).toEqual(happened);
    // A store without any trade has no row, and days that were closed are not counted again.
    expect(trade.journal.size).toBeGreaterThan(10);
    trade.clock.advance(3 * DAY_MS);
    await countAll(trade);
    expect(await stored(trade)).toEqual(expected(trade));
    await trade.own.drop();
  });
});

describe('an invoice that expired and is paid later', () => {
  let trade: Trade;
  const expiredMs = startOfDay(dayOf(systemClock.nowMs() - 5 * DAY_MS)) + 23 * HOUR_MS;
  beforeAll(async () => {
    trade = await openTrade(expiredMs - HOUR_MS, 1);
    const [store] = trade.stores;
    if (!store) throw new Error('There is no store.');
    await create(trade, store, 20);
    trade.clock.advance(HOUR_MS);
    const [invoice] = trade.open;
    if (!invoice) throw new Error('There is no invoice.');
    await expire(trade, invoice);
    await countAll(trade);
    // Two days later the day of the expiry is closed.
    trade.clock.advance(2 * DAY_MS);
    await countAll(trade);
    await pay(trade, invoice, { network: 'BSC', token: 'USDT', attached: true, seenAfterMs: 1_000, blockAgoMs: 5_000 });
    trade.clock.advance(MINUTE_MS);
    await countAll(trade);
  });
  afterAll(() => trade.own.drop());

  test('counts as completed and late on the day of its payment, and as expired on the day of its end', async () => {
    const day = dayOf(expiredMs);
    const rows = await stored(trade);
    expect(
      rows.map((row) => [row['day'], row['network'], row['created'], row['expired'], row['completed'], row['late']]),
    ).toEqual([
      [day, '', 1, 1, 0, 0],
      [addDays(day, 2), 'BSC', 0, 0, 1, 1],
    ]);
  });

  test('counts the same when every day is counted anew from the invoices', async () => {
    const before = await stored(trade);
    await trade.own.database.pool.query('truncate counted_days, store_days');
    await countAll(trade);
    expect(await stored(trade)).toEqual(before);
  });

  test('is counted by one worker at a time, and not twice by two', async () => {
    const before = await stored(trade);
    await trade.own.database.pool.query('truncate counted_days');
    await Promise.all([countAll(trade), countAll(trade), countAll(trade)]);
    await countAll(trade);
    expect(await stored(trade)).toEqual(before);
  });

  test('costs no write when nothing changed', async () => {
    const written = async () => {
      const { rows } = await trade.own.database.pool.query('select day, xmin::text from store_days order by day');
      return rows;
    };
    const before = await written();
    await trade.own.database.pool.query('truncate counted_days');
    await countAll(trade);
    expect(await written()).toEqual(before);
  });
});

const AT_BSC: Payment = { network: 'BSC', token: 'USDT', attached: false, seenAfterMs: 1_000, blockAgoMs: 5_000 };

describe.each([
  ['an hour ahead', HOUR_MS],
  ['three days ahead', 3 * DAY_MS],
  ['a month ahead', 30 * DAY_MS],
  ['a day behind', -DAY_MS],
])('after a worker whose clock was %s for a moment', (_title, offMs) => {
  test('figures are counted on, today and across midnight', async () => {
    const noon = startOfDay(dayOf(systemClock.nowMs() - 6 * DAY_MS)) + 12 * HOUR_MS;
    const trade = await openTrade(noon, 1);
    const [store] = trade.stores;
    if (!store) throw new Error('There is no store.');
    const sell = async () => {
      await create(trade, store, 20);
      trade.clock.advance(2 * MINUTE_MS);
      const [invoice] = trade.open;
      if (invoice) await pay(trade, invoice, AT_BSC);
    };
    await sell();
    await countAll(trade);
    await countAll({ ...trade, clock: createManualClock(trade.clock.nowMs() + offMs) });
    const compared: [found: Row[], happened: Row[]][] = [];
    for (const passMs of [10 * MINUTE_MS, 11 * HOUR_MS, HOUR_MS, 12 * HOUR_MS, 2 * DAY_MS]) {
      await sell();
      trade.clock.advance(passMs);
      await countAll(trade);
      compared.push([await stored(trade), structuredClone(expected(trade))]);
    }
    for (const [found, happened] of compared) expect(found).toEqual(happened);
    const open = 'select day::text from counted_days where closed_at is null and day < $1::date - 1 order by 1';
    expect((await trade.own.database.pool.query(open, [dayOf(trade.clock.nowMs())])).rows).toEqual([]);
    await trade.own.drop();
  });
});

function firstOf<One>([one]: readonly One[]): One {
  if (one === undefined) throw new Error('There is none.');
  return one;
}

describe('a day', () => {
  let trade: Trade;
  const midnight = startOfDay(dayOf(systemClock.nowMs() - 5 * DAY_MS));
  beforeAll(async () => {
    trade = await openTrade(midnight - HOUR_MS, 1);
  });
  afterAll(() => trade.own.drop());

  test('counts an invoice that was created before midnight and has a higher id than one created after', async () => {
    const createAt = (atMs: number) => create({ ...trade, clock: createManualClock(atMs) }, firstOf(trade.stores), 20);
    await createAt(midnight - 2_000);
    await createAt(midnight + 1_000);
    await createAt(midnight - 1_000);
    trade.clock.advance(2 * HOUR_MS);
    await countAll(trade);
    expect((await stored(trade)).map((row) => [row['day'], row['created']])).toEqual([
      [dayOf(midnight - 1), 2],
      [dayOf(midnight), 1],
    ]);
  });

  test('has no row of a network and token that no payment of the day has any more', async () => {
    trade.open.length = 0;
    await create(trade, firstOf(trade.stores), 20);
    trade.clock.advance(2 * MINUTE_MS);
    const invoice = firstOf(trade.open);
    await pay(trade, invoice, AT_BSC);
    trade.clock.advance(MINUTE_MS);
    await countAll(trade);
    const networks = async () => (await stored(trade)).map((row) => row['network']).filter((one) => one !== '');
    expect(await networks()).toEqual(['BSC']);
    await trade.own.database.pool.query(`update transfers set network = 'ETH' where invoice_id = $1`, [invoice.id]);
    trade.clock.advance(HOUR_MS);
    await countAll(trade);
    expect(await networks()).toEqual(['ETH']);
  });
});
