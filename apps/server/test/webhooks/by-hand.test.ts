import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
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
import { TESTER } from '../../rig/stores/open-store.ts';
import { countReplay } from '../../src/webhooks/count-replay.ts';
import { probeEndpoints } from '../../src/webhooks/probe-endpoints.ts';
import { redeliverEvents } from '../../src/webhooks/redeliver-events.ts';

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  fixture.receiver.received.length = 0;
  fixture.receiver.mood = () => 'good';
  await fixture.database.pool.query(`update deliveries set state = 'failed' where state = 'pending'`);
});

const context = () => ({ database: fixture.as('admin'), clock: fixture.clock });

async function newestEvent(): Promise<string> {
  const [row] = await rowsOf<{ event_id: string }>(fixture, 'select event_id from events order by id desc limit 1');
  return row?.event_id ?? '';
}

/** Ends an invoice and delivers its event, or not; returns the event. */
async function tellOne(name: string, ending: 'expired' | 'completed' = 'expired'): Promise<string> {
  await endInvoices(fixture, urlOf(fixture, name), ending);
  const event = await newestEvent();
  const { length } = fixture.receiver.received;
  await dispatchUntil(fixture, () => fixture.receiver.received.length > length && attemptsSaved());
  return event;
}

const attemptsSaved = async () =>
  (await rowsOf(fixture, `select from deliveries where state = 'pending' and (leased_until > now() or attempts = 0)`))
    .length === 0;

const redeliver = (eventId: string) => redeliverEvents(context(), TESTER, { store: storeOf(fixture).ref, eventId });

/** Redelivers an event and waits until its first attempt is saved. */
async function redeliverOnce(eventId: string): Promise<void> {
  await redeliver(eventId);
  await dispatchUntil(fixture, attemptsSaved);
}

const healthOf = (name: string) =>
  rowsOf(fixture, 'select failures, probe_at from endpoints where url = $1', [urlOf(fixture, name)]);
const scheduleOf = (name: string) =>
  rowsOf(
    fixture,
    `select d.id, d.state, d.next_attempt_at, d.unscheduled, d.attempts from deliveries d join endpoints p on p.id = d.endpoint_id
     where p.url = $1 and not d.by_hand order by d.id`,
    [urlOf(fixture, name)],
  );

describe('a redelivery by hand', () => {
  test.each(['failing', 'busy', 'gone'] as const)(
    'that meets a %s receiver leaves a healthy endpoint healthy',
    async (mood) => {
      const name = `healthy-${mood}`;
      const event = await tellOne(name);
      const before = await healthOf(name);
      expect(before).toMatchObject([{ failures: 0 }]);
      fixture.receiver.mood = () => mood;
      await redeliverOnce(event);
      expect(fixture.receiver.received).toHaveLength(2);
      expect(await healthOf(name)).toEqual(before);
    },
  );

  test('that succeeds leaves a failing endpoint failing, and the retries of others where they were', async () => {
    const told = await tellOne('ill');
    fixture.receiver.mood = () => 'failing';
    await tellOne('ill');
    const [health, schedule] = [await healthOf('ill'), await scheduleOf('ill')];
    expect(health).toMatchObject([{ failures: 1 }]);
    fixture.receiver.mood = () => 'good';
    fixture.clock.advance(1);
    await redeliverOnce(told);
    expect(await healthOf('ill')).toEqual(health);
    expect(await scheduleOf('ill')).toEqual(schedule);
  });

  test('that is the only one left may be a probe, and then brings the endpoint back', async () => {
    const told = await tellOne('probed');
    fixture.receiver.mood = () => 'failing';
    await tellOne('probed');
    await fixture.database.pool.query(`update deliveries set state = 'failed' where state = 'pending'`);
    await redeliverOnce(told);
    await fixture.database.pool.query(
      `update deliveries set next_attempt_at = now() + interval '1 day' where state = 'pending'`,
    );
    fixture.receiver.mood = () => 'good';
    await probeEndpoints({ database: fixture.as('worker'), clock: fixture.clock });
    await dispatchUntil(fixture, nothingPending(fixture));
    expect(await healthOf('probed')).toMatchObject([{ failures: 0 }]);
  });

  test('shows in the callback status of its invoice, which follows the latest attempt', async () => {
    const event = await tellOne('status', 'completed');
    const status = () =>
      rowsOf(
        fixture,
        'select i.callback_status from invoices i join events e on e.invoice_id = i.id where e.event_id = $1',
        [event],
      );
    expect(await status()).toEqual([{ callback_status: 'success' }]);
    fixture.receiver.mood = () => 'failing';
    await redeliverOnce(event);
    expect(await status()).toEqual([{ callback_status: 'failed' }]);
  });

  test('of an earlier event does not hold up the later event of the invoice', async () => {
    await endInvoices(fixture, urlOf(fixture, 'order'), 'found-late');
    await fixture.database.pool.query(
      `update deliveries set state = 'delivered' where sequence = 1 and state = 'pending'`,
    );
    const [first] = await rowsOf<{ event_id: string }>(
      fixture,
      'select event_id from events where sequence = 1 order by id desc limit 1',
    );
    await redeliver(first?.event_id ?? '');
    await fixture.database.pool.query(
      `update deliveries set leased_until = now() + interval '1 hour' where by_hand and state = 'pending'`,
    );
    await dispatchUntil(fixture, () => fixture.receiver.received.length > 0);
    expect(fixture.receiver.received[0]?.body).toContain('"event":"invoice.completed"');
  });

  test('that is asked for twice at the same moment is made once', async () => {
    const event = await tellOne('twice');
    const asked = await Promise.allSettled([redeliver(event), redeliver(event), redeliver(event)]);
    expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(redeliver(event)).rejects.toMatchObject({ code: 'EVENT_PENDING' });
    expect(await rowsOf(fixture, `select from deliveries where by_hand and state = 'pending'`)).toHaveLength(1);
  });
});

test('a count before a replay is the number that is replayed, and both leave out what is pending or erased', async () => {
  const from = new Date(fixture.clock.nowMs() + 1);
  fixture.clock.advance(1);
  for (let event = 0; event < 5; event += 1) await tellOne('replay');
  const erased = await newestEvent();
  await fixture.database.pool.query('update events set body = null where event_id = $1', [erased]);
  await endInvoices(fixture, urlOf(fixture, 'replay'), 'expired');
  const to = new Date(fixture.clock.nowMs() + 1);
  const range = { store: storeOf(fixture).ref, from, to };
  const counted = await countReplay(context(), TESTER, range);
  expect(counted).toEqual({ redelivered: 4, erased: 1, pending: 1 });
  const done = await redeliverEvents(context(), TESTER, range);
  expect(done).toEqual({ redelivered: 4, erased: 1 });
  fixture.receiver.received.length = 0;
  await dispatchUntil(fixture, nothingPending(fixture));
  expect(fixture.receiver.received).toHaveLength(5);
});
