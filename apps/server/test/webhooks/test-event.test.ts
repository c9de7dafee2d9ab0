import { TESTER } from '../../rig/stores/open-store.ts';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { OperatorContext } from '../../src/commands/operator-context.ts';
import { webhookCommands } from '../../src/commands/webhook-commands.ts';
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
import { NETWORKS } from '../../rig/chains/networks.ts';
import { NO_EXCHANGES } from '../../rig/exchanges/no-exchanges.ts';
import { NO_MAIL } from '../../rig/mail/no-mail.ts';

/** A test event is sent like all others, and cannot be mistaken for a payment. */

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'), 2);
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.receiver.received.length = 0;
  fixture.receiver.mood = () => 'good';
});

function none(): never {
  throw new Error('The key ring is not needed.');
}

async function command(values: Record<string, string>): Promise<Record<string, unknown>> {
  const found = webhookCommands.find(({ name }) => name === 'webhook test');
  // The command waits by the machine's clock; retries use the fixture's clock.
  const clock = { nowMs: () => (values['wait'] === '0' ? fixture.clock.nowMs() : systemClock.nowMs()) };
  const context: OperatorContext = {
    ...NO_EXCHANGES,
    ...NO_MAIL,
    networks: NETWORKS,
    database: fixture.as('admin'),
    clock,
    actor: TESTER,
    keyRingFile: none,
    keyRing: none,
    chainUrls: none,
    wait: none,
  };
  return (await found?.run(context, { store: storeOf(fixture).merchantId, ...values })) as Record<string, unknown>;
}

test('a store without a callback address must name one, and only one that can be posted to', async () => {
  await expect(command({ wait: '0' })).rejects.toThrow('no callback URL yet');
  await expect(command({ wait: '0', url: 'ftp://shop.example/hook' })).rejects.toThrow('http or https');
  await expect(command({ wait: '0', url: `https://shop.example/${'a'.repeat(500)}` })).rejects.toThrow('500');
  expect(await rowsOf(fixture, 'select from events')).toEqual([]);
});

test('a test event is signed, sent by the dispatcher and logged, and the command shows what came back', async () => {
  let shown: Record<string, unknown> | undefined;
  const asked = command({ url: urlOf(fixture, 'hook'), wait: '30' }).then((answer) => (shown = answer));
  // The event's time is by the machine's clock, which is ahead of the fixture's by now.
  fixture.clock.advance(60_000);
  await dispatchUntil(fixture, () => shown !== undefined);
  await asked;
  const [received] = fixture.receiver.received;
  expect(shown).toMatchObject({
    event: received?.eventId,
    url: urlOf(fixture, 'hook'),
    state: 'delivered',
    attempt: 1,
    status: 200,
    error: null,
    excerpt: 'ok',
  });
  expect(received?.verified).toBe(true);
});

test('a test event has a type of its own and nothing that an order could be fulfilled by', async () => {
  const { event } = await command({ url: urlOf(fixture, 'hook'), wait: '0' });
  await dispatchUntil(fixture, nothingPending(fixture));
  const body = JSON.parse(fixture.receiver.received[0]?.body ?? '') as Record<string, unknown>;
  expect(body).toStrictEqual({
    event: 'webhook.test',
    event_id: event,
    sequence: 1,
    api_version: expect.any(String),
    created_at: expect.any(Number),
    test: true,
    data: {},
  });
});

test('a test event without a given address goes to the newest callback address of that store, never to another store', async () => {
  await endInvoices(fixture, urlOf(fixture, 'newest'), 'expired');
  const other = storeOf(fixture, 1);
  await command({ store: other.merchantId, url: urlOf(fixture, 'foreign', other), wait: '0' });
  await dispatchUntil(fixture, nothingPending(fixture));
  fixture.receiver.received.length = 0;
  expect(await command({ wait: '0' })).toMatchObject({
    url: urlOf(fixture, 'newest'),
    state: 'pending',
    attempt: null,
  });
  await dispatchUntil(fixture, nothingPending(fixture));
  expect(fixture.receiver.received.map(({ path }) => path)).toEqual([new URL(urlOf(fixture, 'newest')).pathname]);
});

test('a receiver that refuses a test event is tried three times, and then the event has failed', async () => {
  fixture.receiver.mood = () => 'failing';
  const { event } = await command({ url: urlOf(fixture, 'refusing'), wait: '0' });
  for (const [tries, waitMs] of [0, 5_000, 30_000].entries()) {
    fixture.clock.advance(waitMs);
    await dispatchUntil(fixture, async () => {
      const rows = await rowsOf(
        fixture,
        'select from attempts a join deliveries d on d.id = a.delivery_id join events e on e.id = d.event_row_id where e.event_id = $1',
        [event],
      );
      return rows.length === tries + 1;
    });
  }
  const [row] = await rowsOf(
    fixture,
    'select d.state, d.attempts from deliveries d join events e on e.id = d.event_row_id where e.event_id = $1',
    [event],
  );
  expect(row).toEqual({ state: 'failed', attempts: 3 });
  expect(new Set(fixture.receiver.received.map(({ eventId }) => eventId))).toEqual(new Set([event]));
});

test('each test event leaves one audit entry, and none changes an invoice', async () => {
  const entries = await rowsOf<{ details: { url: string } }>(
    fixture,
    `select details from audit_entries where action = 'webhook.test' and subject = $1`,
    [`store:${storeOf(fixture).id}`],
  );
  expect(entries.map(({ details }) => new URL(details.url).pathname.split('/')[2])).toEqual([
    'hook',
    'hook',
    'newest',
    'refusing',
  ]);
  expect(await rowsOf(fixture, 'select callback_status from invoices')).toEqual([{ callback_status: null }]);
});

test('only a test event is without an invoice', async () => {
  const insert = `insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
    values ('evt_x', 1, $1, 1, $2, '{}', now())`;
  for (const [invoice, type] of [
    [null, 'invoice.completed'],
    [1, 'webhook.test'],
  ])
    await expect(fixture.database.pool.query(insert, [invoice, type])).rejects.toThrow('events_of_invoice');
});
