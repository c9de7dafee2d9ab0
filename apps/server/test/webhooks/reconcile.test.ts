import { TESTER } from '../../rig/stores/open-store.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { reconcileEvents, reconcileSince } from '../../src/invoices/reconcile-events.ts';
import { preferIndexOrder } from '../../src/db/ordered-reads.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import {
  dispatchUntil,
  endInvoices,
  nothingPending,
  openWebhookFixture,
  payInvoices,
  rowsOf,
  urlOf,
} from '../../rig/webhooks/webhook-fixture.ts';

/** A state that should be impossible: an invoice that ended without its event or delivery. */

const QUARTER_MS = 15 * 60_000;

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await reconcile();
  await dispatchUntil(fixture, nothingPending(fixture));
  await fixture.database.pool.query('delete from alarms');
  fixture.receiver.received.length = 0;
});

const WORKER = { kind: 'worker', name: 'test' } as const;

async function reconcile() {
  fixture.clock.advance(QUARTER_MS + 1);
  return reconcileEvents({ database: fixture.as('worker'), clock: fixture.clock }, WORKER);
}

type Event = { event_id: string; type: string; sequence: number; body: string; trans_id: string };

/** Newest events, with their invoices. */
async function newest(count: number): Promise<Event[]> {
  const rows = await rowsOf<Event>(
    fixture,
    `select e.event_id, e.type, e.sequence, e.body, i.trans_id from events e join invoices i on i.id = e.invoice_id
     order by e.id desc limit $1`,
    [count],
  );
  return rows.toReversed();
}

async function forget(eventId: string, what: 'event' | 'delivery'): Promise<void> {
  await fixture.database.pool.query(
    'delete from deliveries where event_row_id = (select id from events where event_id = $1)',
    [eventId],
  );
  if (what === 'event') await fixture.database.pool.query('delete from events where event_id = $1', [eventId]);
}

const ids = (events: readonly Event[]) => events.map((event) => `${event.trans_id} ${event.event_id}`).toSorted();
const alarms = () =>
  rowsOf(fixture, `select kind, subject, details from alarms where kind = 'event-missing' order by id`);

test('where nothing is missing nothing is written, and each end is checked once', async () => {
  await endInvoices(fixture, urlOf(fixture, 'whole'), 'expired', 'completed', 'found-late');
  expect(await reconcile()).toEqual({ checked: 3, events: 0, deliveries: 0, freed: 0, more: false });
  expect(await reconcile()).toMatchObject({ checked: 0 });
  expect(await alarms()).toEqual([]);
});

test('an end of the last quarter of an hour is not checked yet: its transaction may not be seen yet', async () => {
  await endInvoices(fixture, urlOf(fixture, 'young'), 'expired');
  fixture.clock.advance(QUARTER_MS - 1);
  expect(await reconcileEvents({ database: fixture.as('worker'), clock: fixture.clock }, WORKER)).toMatchObject({
    checked: 0,
  });
  expect(await reconcile()).toMatchObject({ checked: 1 });
});

test.each(['expired', 'completed'] as const)(
  'a missing event of an invoice that %s is written as it would have been, delivered, alarmed and audited',
  async (ending) => {
    await endInvoices(fixture, urlOf(fixture, ending), ending);
    const [lost] = (await newest(1)) as [Event];
    await forget(lost.event_id, 'event');
    expect(await reconcile()).toMatchObject({ checked: 1, events: 1, deliveries: 0 });
    const [written] = (await newest(1)) as [Event];
    expect(written).toMatchObject({ type: lost.type, sequence: lost.sequence, trans_id: lost.trans_id });
    const bodies = [lost, written].map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies[1]).toEqual({
      ...bodies[0],
      event_id: written.event_id,
      created_at: Math.floor(fixture.clock.nowMs() / 1000),
    });
    await dispatchUntil(fixture, nothingPending(fixture));
    expect(fixture.receiver.received).toMatchObject([{ eventId: written.event_id }]);
    expect(await alarms()).toEqual([{ kind: 'event-missing', subject: lost.trans_id, details: { missing: 'event' } }]);
    const [entry] = await rowsOf(fixture, 'select actor, action, details from audit_entries order by id desc limit 1');
    expect(entry).toEqual({
      actor: 'worker:test',
      action: 'webhook.reconcile',
      details: { missing: [{ transId: lost.trans_id, missing: 'event' }] },
    });
  },
);

test('a missing completed event after an expired one keeps its place and says that it is late', async () => {
  await endInvoices(fixture, urlOf(fixture, 'late'), 'found-late');
  const [, completed] = (await newest(2)) as [Event, Event];
  await forget(completed.event_id, 'event');
  expect(await reconcile()).toMatchObject({ events: 1 });
  const [written] = (await newest(1)) as [Event];
  expect(JSON.parse(written.body)).toMatchObject({ event: 'invoice.completed', sequence: 2, late: true });
});

test('an event without a delivery is delivered as it was written', async () => {
  await endInvoices(fixture, urlOf(fixture, 'unsent'), 'completed');
  const [event] = (await newest(1)) as [Event];
  await forget(event.event_id, 'delivery');
  expect(await reconcile()).toMatchObject({ events: 0, deliveries: 1 });
  await dispatchUntil(fixture, nothingPending(fixture));
  expect(fixture.receiver.received).toMatchObject([{ eventId: event.event_id, body: event.body }]);
  expect(await alarms()).toMatchObject([{ kind: 'event-missing', details: { eventId: event.event_id } }]);
});

test('an invoice without a callback address is not checked', async () => {
  await endInvoices(fixture, urlOf(fixture, 'silent'), 'expired');
  const [event] = (await newest(1)) as [Event];
  await forget(event.event_id, 'event');
  await fixture.database.pool.query('update invoices set callback_url = null where trans_id = $1', [event.trans_id]);
  expect(await reconcile()).toMatchObject({ checked: 0, events: 0 });
});

test('more ends than one batch takes, all at one moment, are each checked once', async () => {
  await endInvoices(fixture, urlOf(fixture, 'many'), ...Array.from({ length: 1_100 }, () => 'expired' as const));
  const events = await newest(1_100);
  for (const { event_id } of [events[0], events[1_050]] as Event[]) await forget(event_id, 'event');
  expect(await reconcile()).toMatchObject({ checked: 1_000, events: 1, more: true });
  expect(await reconcile()).toMatchObject({ checked: 100, events: 1, more: false });
});

test('while one worker reconciles another finds nothing to do', async () => {
  await endInvoices(fixture, urlOf(fixture, 'twice'), 'expired');
  fixture.clock.advance(QUARTER_MS + 1);
  const client = await fixture.database.pool.connect();
  await client.query('begin');
  await client.query('select from event_checks for update');
  expect(await reconcileEvents({ database: fixture.as('worker'), clock: fixture.clock }, WORKER)).toMatchObject({
    checked: 0,
  });
  await client.query('rollback');
  client.release();
  expect(await reconcileEvents({ database: fixture.as('worker'), clock: fixture.clock }, WORKER)).toMatchObject({
    checked: 1,
  });
});

test('events that were lost after they had been checked are found from a given moment on', async () => {
  const since = new Date(fixture.clock.nowMs());
  await endInvoices(fixture, urlOf(fixture, 'restored'), 'expired', 'completed');
  await reconcile();
  const [event] = (await newest(1)) as [Event];
  await forget(event.event_id, 'event');
  expect(await reconcile()).toMatchObject({ events: 0 });
  expect(await reconcileSince({ database: fixture.as('admin'), clock: fixture.clock }, TESTER, { since })).toEqual({
    checked: 2,
    events: 1,
    deliveries: 0,
  });
});

test('an event that is written again has the id that it had, and each invoice and type has its own', async () => {
  const since = new Date(fixture.clock.nowMs());
  await endInvoices(fixture, urlOf(fixture, 'again'), 'expired', 'completed', 'found-late');
  await reconcile();
  const told = await newest(4);
  expect(new Set(told.map((event) => event.event_id)).size).toBe(4);
  for (const event of told) expect(event.event_id).toMatch(/^evt_[A-Za-z0-9]{24}$/);
  // A restored database decides and sends again what it lost.
  const lost = told.filter((event) => event.type === 'invoice.completed');
  for (const event of lost) await forget(event.event_id, 'event');
  await reconcileSince(fixture, TESTER, { since });
  const again = await newest(lost.length);
  expect(ids(again)).toEqual(ids(lost));
});

test('an invoice that is completed late at that moment gets the event of its completion and no other', async () => {
  await endInvoices(fixture, urlOf(fixture, 'raced'), 'expired');
  const [expired] = (await newest(1)) as [Event];
  await forget(expired.event_id, 'event');
  const [{ id }] = (await rowsOf(fixture, 'select id from invoices where trans_id = $1', [expired.trans_id])) as [
    { id: bigint },
  ];
  fixture.clock.advance(QUARTER_MS + 1);
  let reconciled: ReturnType<typeof reconcileEvents> | undefined;
  await payInvoices(fixture, [id]);
  await inTransaction(fixture.database, async (tx) => {
    await changeInvoices(tx, new Date(fixture.clock.nowMs()), [id], new Set());
    reconciled = reconcileEvents({ database: fixture.as('worker'), clock: fixture.clock }, WORKER);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    const waiting = `select from pg_stat_activity where $1::integer = any(pg_blocking_pids(pid))`;
    await expect
      .poll(() => rowsOf(fixture, waiting, [rows[0]?.pid]), { timeout: 60_000, interval: 10 })
      .toHaveLength(1);
  });
  expect(await reconciled).toMatchObject({ checked: 1, events: 0 });
  expect(await rowsOf(fixture, 'select type, sequence from events where invoice_id = $1', [id])).toEqual([
    { type: 'invoice.completed', sequence: 1 },
  ]);
});

test('a delivery with a lease that no worker can have is freed an hour after it was due', async () => {
  await endInvoices(fixture, urlOf(fixture, 'stuck'), 'expired', 'expired');
  await fixture.database.pool.query(
    `update deliveries set leased_until = now() + interval '1 day' where state = 'pending'`,
  );
  expect(await reconcile()).toMatchObject({ freed: 0 });
  fixture.clock.advance(3_600_000);
  expect(await reconcile()).toMatchObject({ freed: 2 });
  await dispatchUntil(fixture, nothingPending(fixture));
  expect(fixture.receiver.received).toHaveLength(2);
});

test('reconciliation reads by the order of ends, whatever the planner knew when it began', async () => {
  const plan = await inTransaction(fixture.database, async (tx) => {
    const explain = sql<{ 'QUERY PLAN': string }>`
      explain select id, ended_at from invoices where callback_url is not null
        and (ended_at, id) > ('-infinity'::timestamptz, 0::bigint) and ended_at < now() order by ended_at, id limit 1000`;
    const { rows } = await preferIndexOrder(tx, () => explain.execute(tx));
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toMatch(/^Limit.*\n +-> +Index (Only )?Scan using invoices_ended on/);
});
