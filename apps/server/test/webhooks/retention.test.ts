import { TESTER } from '../../rig/stores/open-store.ts';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { ensurePartitions } from '../../src/db/partition-sql.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { eraseWebhooks } from '../../src/webhooks/erase-webhooks.ts';
import { redeliverEvents } from '../../src/webhooks/redeliver-events.ts';
import { eraseBodies, lockErasable } from '../../src/webhooks/retention-sql.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import {
  dispatchUntil,
  endInvoices,
  nothingPending,
  openWebhookFixture,
  rowsOf,
  storeOf,
  urlOf,
} from '../../rig/webhooks/webhook-fixture.ts';

/** Sent events and attempts are deleted when they are old, never before, and never while they are still to be sent. */

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 90;

let fixture: WebhookFixture;
beforeEach(async () => {
  fixture = await openWebhookFixture(inject('template'));
});
afterEach(() => fixture.close());

const erase = () => eraseWebhooks({ database: fixture.as('worker'), clock: fixture.clock }, RETENTION_DAYS);

async function eraseAll(): Promise<void> {
  while ((await erase()).more);
}

type Event = { event_id: string; body: string | null };

async function newestEvent(): Promise<Event> {
  const [event] = await rowsOf<Event>(fixture, 'select event_id, body from events order by id desc limit 1');
  if (!event) throw new Error('There is no event.');
  return event;
}

async function deliverOne(name: string): Promise<Event> {
  await endInvoices(fixture, urlOf(fixture, name), 'expired');
  await dispatchUntil(fixture, nothingPending(fixture));
  return newestEvent();
}

const redeliver = (eventId: string) =>
  redeliverEvents({ database: fixture.as('admin'), clock: fixture.clock }, TESTER, {
    store: storeOf(fixture).ref,
    eventId,
  });

test('a body is kept for its whole time, then erased, and its event and delivery stay', async () => {
  const { event_id } = await deliverOne('kept');
  fixture.clock.advance(RETENTION_DAYS * DAY_MS);
  expect(await erase()).toMatchObject({ bodies: 0 });
  fixture.clock.advance(1);
  expect(await erase()).toMatchObject({ bodies: 1, more: false });
  expect(await newestEvent()).toEqual({ event_id, body: null });
  const [delivery] = await rowsOf(
    fixture,
    'select d.state from deliveries d join events e on e.id = d.event_row_id where e.event_id = $1',
    [event_id],
  );
  expect(delivery).toEqual({ state: 'delivered' });
});

test('an event within its time can be sent again; one whose body was erased is refused in words', async () => {
  const { event_id, body } = await deliverOne('again');
  fixture.clock.advance((RETENTION_DAYS - 1) * DAY_MS);
  expect(await redeliver(event_id)).toEqual({ redelivered: 1, erased: 0 });
  await dispatchUntil(fixture, nothingPending(fixture));
  expect(fixture.receiver.received.map((one) => one.body)).toEqual([body, body]);
  fixture.clock.advance(2 * DAY_MS);
  await eraseAll();
  await expect(redeliver(event_id)).rejects.toMatchObject({ code: 'EVENT_ERASED' });
  const range = { store: storeOf(fixture).ref, from: new Date(0), to: new Date(fixture.clock.nowMs() + 1) };
  await deliverOne('young');
  const erased = (await rowsOf(fixture, 'select from events where body is null')).length;
  expect(await redeliverEvents({ database: fixture.as('admin'), clock: fixture.clock }, TESTER, range)).toEqual({
    redelivered: 1,
    erased,
  });
  await dispatchUntil(fixture, nothingPending(fixture));
});

test('a body whose delivery is still pending is kept, however old, and does not hold up the others', async () => {
  await endInvoices(fixture, urlOf(fixture, 'pending'), 'expired');
  const pending = await newestEvent();
  await fixture.database.pool.query(
    `update deliveries set next_attempt_at = 'infinity' where event_row_id = (select id from events where event_id = $1)`,
    [pending.event_id],
  );
  fixture.clock.advance(1);
  await endInvoices(fixture, urlOf(fixture, 'told'), 'expired');
  await dispatchUntil(fixture, async () => fixture.receiver.received.length === 1);
  fixture.clock.advance((RETENTION_DAYS + 1) * DAY_MS);
  expect(await erase()).toMatchObject({ bodies: 1 });
  const kept = await rowsOf(fixture, 'select event_id from events where body is not null');
  expect(kept).toEqual([{ event_id: pending.event_id }]);
  await fixture.database.pool.query('update deliveries set next_attempt_at = created_at');
  await dispatchUntil(fixture, nothingPending(fixture));
  expect(await erase()).toMatchObject({ bodies: 1 });
});

test('a body that is being sent again at that moment is kept', async () => {
  const { event_id } = await deliverOne('raced');
  fixture.clock.advance((RETENTION_DAYS + 1) * DAY_MS);
  const client = await fixture.database.pool.connect();
  await client.query('begin');
  await client.query('select from events where event_id = $1 for share', [event_id]);
  expect(await erase()).toMatchObject({ bodies: 0 });
  await client.query('rollback');
  client.release();
  expect(await erase()).toMatchObject({ bodies: 1 });
});

test('a body whose event is sent again after it was chosen for erasure is kept', async () => {
  const event = await deliverOne('late');
  const erased = await inTransaction(fixture.as('worker'), async (tx) => {
    const ids = await lockErasable(tx, new Date(fixture.clock.nowMs() + 1), 10);
    expect(ids).toHaveLength(1);
    // As a redelivery leaves it that was committed after the events were read.
    await fixture.database.pool.query(`update deliveries set state = 'pending'`);
    return eraseBodies(tx, ids);
  });
  expect(erased).toBe(0);
  expect(await newestEvent()).toEqual(event);
});

test('bodies are erased in batches', async () => {
  await endInvoices(fixture, urlOf(fixture, 'many'), ...Array.from({ length: 600 }, () => 'expired' as const));
  await fixture.database.pool.query(`update deliveries set state = 'delivered' where state = 'pending'`);
  fixture.clock.advance((RETENTION_DAYS + 1) * DAY_MS);
  expect(await erase()).toMatchObject({ bodies: 500, more: true });
  expect(await erase()).toMatchObject({ bodies: 100 });
});

const attemptMonths = async () => {
  const rows = await rowsOf<{ name: string }>(
    fixture,
    `select distinct tableoid::regclass::text as name from attempts order by 1`,
  );
  return rows.map(({ name }) => name);
};

const partitionOf = (atMs: number) => `attempts_${new Date(atMs).toISOString().slice(0, 7).replace('-', '_')}`;

/**
 * Moves the clock back: the database also keeps a month by its own clock, so attempts to be deleted must be made long
 * ago.
 */
async function goBack(days: number): Promise<void> {
  fixture.clock.advance(-days * DAY_MS);
  await ensurePartitions(fixture.database.pool, new Date(fixture.clock.nowMs()));
}

test('attempts are in the partition of their month, and are dropped with it when all of it is old', async () => {
  await goBack(RETENTION_DAYS + 62);
  await deliverOne('logged');
  const month = partitionOf(fixture.clock.nowMs());
  expect(await attemptMonths()).toEqual([month]);
  fixture.clock.advance(RETENTION_DAYS * DAY_MS);
  expect((await erase()).partition).toBeUndefined();
  fixture.clock.advance(31 * DAY_MS);
  const dropped: (string | undefined)[] = [];
  for (let round = await erase(); round.more; round = await erase()) dropped.push(round.partition);
  expect(dropped).toContain(month);
  expect(await attemptMonths()).toEqual([]);
});

test('a month in use is not waited for: it is dropped another time', async () => {
  await goBack(RETENTION_DAYS + 62);
  await deliverOne('busy');
  const month = partitionOf(fixture.clock.nowMs());
  fixture.clock.advance((RETENTION_DAYS + 31) * DAY_MS);
  const client = await fixture.database.pool.connect();
  await client.query('begin');
  await client.query(`select from ${month}`);
  expect((await erase()).partition).toBeUndefined();
  await client.query('rollback');
  client.release();
  await eraseAll();
  expect(await rowsOf(fixture, 'select to_regclass($1) as month', [month])).toEqual([{ month: null }]);
});

test('attempts of a month that had no partition are deleted when they are old, no younger ones', async () => {
  const insert = `insert into attempts (at, delivery_id, number, duration_ms, request_headers) values ($1, 1, 1, 1, '{}')`;
  await fixture.database.pool.query(insert, [new Date('2001-01-01')]);
  await fixture.database.pool.query(insert, [new Date('2101-01-01')]);
  expect(await erase()).toMatchObject({ attempts: 1 });
  expect(await attemptMonths()).toEqual(['attempts_default']);
});
