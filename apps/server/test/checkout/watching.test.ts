import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { createReadSurroundings } from '../../src/checkout/network-conditions.ts';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { viewCheckout } from '../../src/checkout/checkout-view.ts';
import type { EventStream } from '../../src/checkout/event-stream.ts';
import type { PageAddress } from '../../src/checkout/page-address.ts';
import type { Watching } from '../../src/checkout/live-views.ts';
import { createWatching } from '../../src/checkout/live-views.ts';
import type { ClientNetwork } from '../../src/lib/client-address.ts';
import { clientNetworks } from '../../src/lib/client-address.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { endWaits } from '../../rig/database/end-waits.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { followNetwork, setPrices } from '../../rig/site/market.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** The loop behind the streams, on clocks that only the test moves. */

const WITHIN = { timeout: 60_000, interval: 5 };
const POLL_MS = 5;
const MINUTE_MS = 60_000;
/** Address of a page that names no selection. */
const BARE: PageAddress = { shown: 'latest', language: 'en', languageFixed: false };
const LIMITS = { total: 50, perAddress: 40, perInvoice: 4, perVisitor: 2 };

let own: TestDatabase;
let store: TestStore;
/** Number of invoices that each statement read. */
const statements: number[] = [];
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  await followNetwork(own.database, 'ETH');
  await setPrices(own.database);
});
afterAll(() => own.drop());

type ApiSite = { watching: Watching; clock: ManualClock; steady: ManualClock; view(transId: string): Promise<Viewed> };
type Viewed = { id: bigint; view: CheckoutView; version: bigint };

let opened: Watching[] = [];
afterEach(async () => {
  await Promise.all(opened.map((watching) => watching.close()));
  opened = [];
});

function openWatching(limits = LIMITS, warn = () => {}): ApiSite {
  const clock = createManualClock(systemClock.nowMs());
  const steady = createManualClock(systemClock.nowMs());
  const readSurroundings = createReadSurroundings(own.database, steady);
  const draw = { networks: NETWORKS, nowMs: 0, drawQrCode: () => '', basePath: '' };
  const view: Parameters<typeof createWatching>[0]['view'] = (facts, surroundings, address) =>
    viewCheckout({ ...draw, facts, surroundings, nowMs: clock.nowMs(), address });
  const readFacts = (transIds: readonly string[]) => {
    statements.push(transIds.length);
    return readCheckoutFacts(own.database.pool, transIds);
  };
  const watching = createWatching({
    pool: own.database.pool,
    clock,
    steadyClock: steady,
    log: { warn },
    readFacts,
    readSurroundings,
    view,
    limits,
    pollMs: POLL_MS,
  });
  opened.push(watching);
  return {
    watching,
    clock,
    steady,
    view: async (transId) => {
      const [facts] = await readCheckoutFacts(own.database.pool, [transId]);
      if (!facts) throw new Error(`There is no ${transId}.`);
      return { id: facts.id, view: view(facts, await readSurroundings(), BARE), version: BigInt(facts.version) };
    },
  };
}

type Recorded = EventStream & { texts: string[]; ended: boolean; destroyed: boolean; stuckForMs: number };

function recordStream(): Recorded {
  const stream: Recorded = {
    texts: [],
    ended: false,
    destroyed: false,
    stuckForMs: 0,
    send: (text) => stream.texts.push(text),
    beat: (text) => stream.texts.push(text),
    stuckMs: () => stream.stuckForMs,
    end: () => {
      stream.ended = true;
    },
    destroy: () => {
      stream.destroyed = true;
    },
  };
  return stream;
}

const stepsOf = (stream: Recorded) =>
  stream.texts
    .filter((text) => text.startsWith('event: view'))
    .map((text) => (JSON.parse(text.split('data: ')[1] ?? '') as CheckoutView).step);

const clientOf = (name: string): ClientNetwork[] => [{ bits: 32, name }];

const asking = (address: string, invoiceId: bigint, known = false) => ({ client: clientOf(address), invoiceId, known });

async function watch(rig: ApiSite, transId: string, address = 'a'): Promise<Recorded & { leave(): void }> {
  const { id, ...viewed } = await rig.view(transId);
  const stream = recordStream();
  return Object.assign(stream, {
    leave: rig.watching.watch({ client: clientOf(address), address: BARE, invoiceId: id, stream, ...viewed }),
  });
}

let invoices = 0;
async function insertInvoice(endsInMs = 30 * MINUTE_MS): Promise<string> {
  invoices += 1;
  const transId = `TID-${String(invoices).padStart(16, '0')}`;
  await own.database.pool.query(
    `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
     values ($1, $2, 50, now() - interval '1 day', $3, 0)`,
    [store.id, transId, new Date(systemClock.nowMs() + endsInMs)],
  );
  return transId;
}

const changeTo = (transId: string, status: string) =>
  own.database.pool.query(
    `with changed as (update invoices set status = $2 where trans_id = $1 returning id)
     insert into invoice_changes (invoice_id) select id from changed`,
    [transId, status],
  );

describe('what changes is sent', () => {
  test('to every viewer of that invoice and to nobody else', async () => {
    const rig = openWatching();
    const [one, other] = [await insertInvoice(), await insertInvoice()];
    const [first, second, stranger] = [await watch(rig, one), await watch(rig, one), await watch(rig, other)];
    await changeTo(one, 'expired');
    await expect.poll(() => [stepsOf(first), stepsOf(second)], WITHIN).toEqual([['expired'], ['expired']]);
    expect(stepsOf(stranger)).toEqual([]);
  });

  test('also when it was made before the viewer was counted', async () => {
    const rig = openWatching();
    const transId = await insertInvoice();
    const { id, ...before } = await rig.view(transId);
    await changeTo(transId, 'expired');
    const stream = recordStream();
    rig.watching.watch({ client: clientOf('a'), address: BARE, invoiceId: id, stream, ...before });
    await expect.poll(() => stepsOf(stream), WITHIN).toEqual(['expired']);
  });

  test('once, however many changes look the same', async () => {
    const rig = openWatching();
    const [transId, mark] = [await insertInvoice(), await insertInvoice()];
    const [stream, marked] = [await watch(rig, transId), await watch(rig, mark)];
    for (let times = 0; times < 5; times += 1) await changeTo(transId, 'waiting');
    await changeTo(mark, 'expired');
    await expect.poll(() => stepsOf(marked), WITHIN).toEqual(['expired']);
    expect(stepsOf(stream)).toEqual([]);
  });

  test('of many invoices in one statement', async () => {
    const rig = openWatching();
    const transIds = await Promise.all(Array.from({ length: 30 }, () => insertInvoice()));
    const streams = await Promise.all(transIds.map((transId) => watch(rig, transId)));
    await changeTo(transIds[0] ?? '', 'expired');
    await expect.poll(() => stepsOf(streams[0] ?? recordStream()), WITHIN).toEqual(['expired']);
    const before = statements.length;
    const client = await own.database.pool.connect();
    await client.query('begin');
    await client.query(`update invoices set status = 'expired' where trans_id = any($1)`, [transIds]);
    await client.query('insert into invoice_changes (invoice_id) select id from invoices where trans_id = any($1)', [
      transIds,
    ]);
    await client.query('commit');
    client.release();
    await expect.poll(() => streams.every((stream) => stepsOf(stream).length === 1), WITHIN).toBe(true);
    expect(statements.slice(before)).toContain(transIds.length);
  });
});

describe('what time alone changes is sent', () => {
  test('the choice closes, then the window ends', async () => {
    const rig = openWatching();
    const transId = await insertInvoice(10 * MINUTE_MS);
    const stream = await watch(rig, transId);
    rig.clock.advance(9 * MINUTE_MS + 2_000);
    const views = () => stream.texts.filter((text) => text.includes('"selectable":false'));
    await expect.poll(() => views().length, WITHIN).toBe(1);
    rig.clock.advance(MINUTE_MS);
    await expect.poll(() => stepsOf(stream), WITHIN).toEqual(['choose', 'checking']);
  });

  test('blocks on top of a payment are counted as the chain grows', async () => {
    const rig = openWatching();
    const transId = await insertInvoice();
    await own.database.pool.query(
      `with q as (insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at,
           display_units, finality, price_sources, held_from)
         select id, 'ETH', 'USDC', 'x', 50, 1, now(), 1, 'conf:12', '[]', now() from invoices where trans_id = $1
         returning id, invoice_id),
       t as (insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash,
           block_time, seen_at, quote_id, invoice_id)
         select 'ETH', $1, '0', 'USDC', 'f', 'x', 50, 998, 'h', now(), now(), id, invoice_id from q)
       update invoices set status = 'processing', quote_id = q.id from q where invoices.id = q.invoice_id`,
      [transId],
    );
    await followNetwork(own.database, 'ETH', 1_000);
    const before = statements.length;
    const stream = await watch(rig, transId);
    const seen = () => stream.texts.flatMap((text) => /"seen":(\d+)/.exec(text)?.[1] ?? []);
    await expect.poll(() => statements.length, WITHIN).toBeGreaterThan(before);
    await followNetwork(own.database, 'ETH', 1_004);
    rig.steady.advance(1_001);
    await expect.poll(seen, WITHIN).toContain('7');
  });
});

describe('viewers', () => {
  test('are bounded per process, per address and per invoice, and leave no trace', async () => {
    const rig = openWatching({ total: 3, perAddress: 2, perInvoice: 2, perVisitor: 0 });
    const [one, other] = [await insertInvoice(), await insertInvoice()];
    const [{ id: oneId }, { id: otherId }] = [await rig.view(one), await rig.view(other)];
    const first = await watch(rig, one, 'a');
    expect(rig.watching.refusalFor(asking('a', oneId))).toBeUndefined();
    await watch(rig, one, 'a');
    expect(rig.watching.refusalFor(asking('b', oneId))).toBe('too-many');
    expect(rig.watching.refusalFor(asking('a', otherId))).toBe('too-many');
    await watch(rig, other, 'b');
    expect(rig.watching.refusalFor(asking('c', otherId))).toBe('full');
    first.leave();
    first.leave();
    expect(rig.watching.viewers()).toBe(2);
    expect(rig.watching.refusalFor(asking('a', oneId))).toBeUndefined();
  });

  test('who were at the invoice before have a few slots of their own when strangers have taken all others', async () => {
    const rig = openWatching();
    const transId = await insertInvoice();
    const { id } = await rig.view(transId);
    for (let place = 0; place < LIMITS.perInvoice; place += 1) await watch(rig, transId, 'stranger');
    expect(rig.watching.refusalFor(asking('payer', id))).toBe('too-many');
    for (let place = 0; place < LIMITS.perVisitor; place += 1) {
      expect(rig.watching.refusalFor(asking('payer', id, true))).toBeUndefined();
      await watch(rig, transId, 'payer');
    }
    expect(rig.watching.refusalFor(asking('payer', id, true))).toBe('too-many');
    expect(rig.watching.refusalFor(asking('stranger', id, true))).toBe('too-many');
  });

  test('of a wide network of IPv6 are bounded together', async () => {
    const rig = openWatching({ total: 100, perAddress: 1, perInvoice: 100, perVisitor: 0 });
    const { id, ...viewed } = await rig.view(await insertInvoice());
    const taken = Array.from({ length: 40 }, (_, index) =>
      clientNetworks(`2001:db8:1:${index.toString(16)}00::1`),
    ).filter((client) => {
      if (rig.watching.refusalFor({ client, invoiceId: id, known: false })) return false;
      rig.watching.watch({ client, address: BARE, invoiceId: id, stream: recordStream(), ...viewed });
      return true;
    });
    expect(taken).toHaveLength(16);
  });

  test('get a heartbeat every fifteen seconds', async () => {
    const rig = openWatching();
    const stream = await watch(rig, await insertInvoice());
    const beats = () => stream.texts.filter((text) => text.startsWith('event: beat')).length;
    await expect.poll(beats, WITHIN).toBe(1);
    rig.steady.advance(15_000);
    await expect.poll(beats, WITHIN).toBe(2);
  });

  test('are disconnected after half an hour, a minute after the payment, or when they stop reading', async () => {
    const rig = openWatching();
    const [open, paid] = [await insertInvoice(120 * MINUTE_MS), await insertInvoice()];
    await own.database.pool.query(
      `update invoices set status = 'completed', transaction_hash = 'x', from_address = 'y' where trans_id = $1`,
      [paid],
    );
    const [stuck, waiting, done] = [await watch(rig, open), await watch(rig, open), await watch(rig, paid)];
    stuck.stuckForMs = 30_001;
    await expect.poll(() => stuck.destroyed, WITHIN).toBe(true);
    rig.steady.advance(61_000);
    await expect.poll(() => done.ended, WITHIN).toBe(true);
    expect(waiting.ended).toBe(false);
    rig.steady.advance(30 * MINUTE_MS);
    await expect.poll(() => waiting.ended, WITHIN).toBe(true);
    expect(rig.watching.viewers()).toBe(0);
  });
});

test('when the feed could not be read, all views are read again: no change in between is missed', async () => {
  const warned = Promise.withResolvers<void>();
  const rig = openWatching(LIMITS, () => warned.resolve());
  const transId = await insertInvoice();
  const stream = await watch(rig, transId);
  const client = await own.database.pool.connect();
  await client.query('begin');
  await client.query('lock table invoice_changes in access exclusive mode');
  // The feed never gets this change, as after a crash that emptied the feed.
  await own.database.pool.query(`update invoices set status = 'expired' where trans_id = $1`, [transId]);
  await endWaits(own.database, warned.promise);
  await client.query('commit');
  client.release();
  await expect.poll(() => stepsOf(stream), WITHIN).toEqual(['expired']);
});
