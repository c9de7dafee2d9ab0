import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openStores } from '../../rig/webhooks/write-events.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/lib/outbound-http.ts';
import { redeliverEvents } from '../../src/webhooks/redeliver-events.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { dispatchUntil, payInvoices, rowsOf, urlOf } from '../../rig/webhooks/webhook-fixture.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import type { Contract } from './contract-client.ts';
import { create, expectCreated, expectFound, lookup, openContract, selectToken } from './contract-client.ts';

/** Events of invoices that the API created, the engine's writer of status ended and the dispatcher delivered. */

let contract: Contract;
let store: TestStore;
let fixture: WebhookFixture;
beforeAll(async () => {
  contract = await openContract();
  await openStores(contract.database, 0);
  store = await openStore(contract.database);
  const receiver = await startReceiver(() => systemClock.nowMs());
  receiver.secrets.set(String(store.id), store.webhookSecret);
  const outbound = createOutbound({ allowPrivate: true });
  const clock = createManualClock(systemClock.nowMs());
  const close = async () => {
    await outbound.close();
    await receiver.close();
    await contract.close();
  };
  fixture = { ...contract, stores: [store], receiver, outbound, clock, close };
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.receiver.received.length = 0;
  fixture.receiver.mood = () => 'good';
});

type Made = { id: bigint; transId: string };

async function createInvoice(fields: Record<string, unknown> = {}): Promise<Made> {
  const answer = await create(contract, store, { callback_url: urlOf(fixture, 'hook'), ...fields });
  const transId = expectCreated(answer).data.trans_id;
  const [row] = await rowsOf<{ id: bigint }>(fixture, 'select id from invoices where trans_id = $1', [transId]);
  if (!row) throw new Error('The invoice is not there.');
  return { id: row.id, transId };
}

const change = ({ id }: Made) =>
  inTransaction(fixture.as('worker'), (tx) => changeInvoices(tx, new Date(fixture.clock.nowMs()), [id], new Set([id])));

async function complete(invoice: Made): Promise<void> {
  await payInvoices(fixture, [invoice.id]);
  await change(invoice);
}

const attemptsOf = async ({ id }: Made) =>
  (
    await rowsOf(fixture, 'select from attempts a join deliveries d on d.id = a.delivery_id where d.invoice_id = $1', [
      id,
    ])
  ).length;

/** Dispatches until a number of attempts for an invoice has ended. */
const attempted = (invoice: Made, attempts: number) =>
  dispatchUntil(fixture, async () => (await attemptsOf(invoice)) >= attempts);

const find = async ({ transId }: Made) => expectFound(await lookup(contract, store.apiKey, transId));
const bodies = () => fixture.receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
const LOOKUP_OPENING = '{"status":"success","data":';

describe('events', () => {
  test('completed | a matching transaction is verified and the invoice becomes completed | HTTP POST to callback_url', async () => {
    const invoice = await createInvoice();
    await complete(invoice);
    await attempted(invoice, 1);
    expect(fixture.receiver.received.map(({ path }) => path)).toEqual([new URL(urlOf(fixture, 'hook')).pathname]);
    expect(bodies()).toMatchObject([{ event: 'invoice.completed', status: 'completed', trans_id: invoice.transId }]);
  });

  test('expired | the invoice becomes expired | HTTP POST to callback_url', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    await attempted(invoice, 1);
    expect(bodies()).toMatchObject([{ event: 'invoice.expired', status: 'expired', trans_id: invoice.transId }]);
  });

  test('events are only sent when callback_url was given at creation', async () => {
    const silent = await createInvoice({ callback_url: undefined });
    await complete(silent);
    const told = await createInvoice();
    await complete(told);
    await attempted(told, 1);
    expect(bodies().map((body) => body['trans_id'])).toEqual([told.transId]);
    expect(await rowsOf(fixture, 'select from events where invoice_id = $1', [silent.id])).toEqual([]);
    expect((await find(silent)).callback_status).toBeNull();
  });

  test('the webhook carries request_id and trans_id for matching the order; request_id only if it was supplied', async () => {
    const named = await createInvoice({ request_id: 'order-ü-1' });
    await change(named);
    await attempted(named, 1);
    const plain = await createInvoice();
    await change(plain);
    await attempted(plain, 1);
    expect(bodies()).toMatchObject([{ request_id: 'order-ü-1', trans_id: named.transId }, { trans_id: plain.transId }]);
    expect(bodies()[1]).not.toHaveProperty('request_id');
  });
});

describe('callback_status | of a completed invoice', () => {
  test('null until the first attempt has ended, failed, success, and back with the latest attempt', async () => {
    const invoice = await createInvoice();
    await complete(invoice);
    expect((await find(invoice)).callback_status).toBeNull();
    fixture.receiver.mood = () => 'failing';
    await attempted(invoice, 1);
    expect((await find(invoice)).callback_status).toBe('failed');
    fixture.receiver.mood = () => 'good';
    fixture.clock.advance(5_000);
    await attempted(invoice, 2);
    expect((await find(invoice)).callback_status).toBe('success');
    const eventId = String(bodies()[0]?.['event_id']);
    fixture.receiver.mood = () => 'failing';
    await redeliverEvents({ database: fixture.as('admin'), clock: fixture.clock }, TESTER, {
      store: store.ref,
      eventId,
    });
    await attempted(invoice, 3);
    expect((await find(invoice)).callback_status).toBe('failed');
    fixture.receiver.mood = () => 'good';
    fixture.clock.advance(5_000);
    await attempted(invoice, 4);
    expect((await find(invoice)).callback_status).toBe('success');
  });

  test('it is about the completed event: the delivery of an expired event is not shown', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    await attempted(invoice, 1);
    expect(await find(invoice)).not.toHaveProperty('callback_status');
    await complete(invoice);
    expect((await find(invoice)).callback_status).toBeNull();
    await attempted(invoice, 2);
    expect((await find(invoice)).callback_status).toBe('success');
  });
});

describe('webhook body', () => {
  test('completed: exactly these fields, and data is the lookup of that moment, byte for byte', async () => {
    const invoice = await createInvoice({ request_id: 'whole', name: 'Größe "M" \u2028', description: 'two\nlines' });
    await selectToken(fixture.database, invoice.transId);
    await complete(invoice);
    const { text } = await lookup(contract, store.apiKey, invoice.transId);
    await attempted(invoice, 1);
    const [received] = fixture.receiver.received;
    expect(bodies()).toStrictEqual([
      {
        event: 'invoice.completed',
        event_id: received?.eventId,
        sequence: 1,
        api_version: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        created_at: Math.floor(fixture.clock.nowMs() / 1000),
        trans_id: invoice.transId,
        request_id: 'whole',
        status: 'completed',
        data: expect.objectContaining({
          fee_amount: '0.25',
          transaction_hash: expect.stringMatching(/^0x/),
          from_address: '0xpayer',
          token_symbol: 'USDT',
          callback_status: null,
        }),
      },
    ]);
    expect(text.startsWith(LOOKUP_OPENING)).toBe(true);
    expect(received?.body.endsWith(`,"data":${text.slice(LOOKUP_OPENING.length)}`)).toBe(true);
  });

  test('expired: the same fields, without settlement', async () => {
    const invoice = await createInvoice({ name: 'Shoes' });
    await change(invoice);
    const { text } = await lookup(contract, store.apiKey, invoice.transId);
    await attempted(invoice, 1);
    const [body] = bodies();
    expect(Object.keys(body ?? {})).toEqual([
      'event',
      'event_id',
      'sequence',
      'api_version',
      'created_at',
      'trans_id',
      'status',
      'data',
    ]);
    expect(body?.['data']).toStrictEqual((JSON.parse(text) as { data: unknown }).data);
    expect(body?.['data']).not.toHaveProperty('fee_amount');
  });

  test('completed after expired: sent in that order, with the next sequence and late: true', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    await complete(invoice);
    await attempted(invoice, 2);
    const [expired, completed] = bodies();
    expect(expired).toMatchObject({ event: 'invoice.expired', sequence: 1 });
    expect(expired).not.toHaveProperty('late');
    expect(completed).toMatchObject({ event: 'invoice.completed', sequence: 2, late: true });
    expect(completed?.['event_id']).not.toBe(expired?.['event_id']);
  });
});

describe('webhook signature and headers', () => {
  test('Standard Webhooks: its library verifies id, timestamp and body, and nothing else', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    await attempted(invoice, 1);
    const [{ headers, body }] = fixture.receiver.received as [(typeof fixture.receiver.received)[number]];
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^evt_[A-Za-z0-9]{24}$/),
      'webhook-timestamp': String(Math.floor(fixture.clock.nowMs() / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    const webhook = new Webhook(store.webhookSecret);
    const given = headers as Record<string, string>;
    expect(webhook.verify(body, given)).toMatchObject({ event_id: given['webhook-id'] });
    expect(() => webhook.verify(`${body} `, given)).toThrow('signature');
    expect(() => webhook.verify(body, { ...given, 'webhook-id': 'evt_other' })).toThrow('signature');
    const later = String(Number(given['webhook-timestamp']) + 1);
    expect(() => webhook.verify(body, { ...given, 'webhook-timestamp': later })).toThrow('signature');
  });

  test('id and body stay the same over retries and redelivery; the timestamp is that of the attempt', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    fixture.receiver.mood = () => 'failing';
    await attempted(invoice, 1);
    fixture.receiver.mood = () => 'good';
    fixture.clock.advance(5_000);
    await attempted(invoice, 2);
    const eventId = String(bodies()[0]?.['event_id']);
    await redeliverEvents({ database: fixture.as('admin'), clock: fixture.clock }, TESTER, {
      store: store.ref,
      eventId,
    });
    await attempted(invoice, 3);
    const { received } = fixture.receiver;
    expect(received.map((one) => [one.eventId, one.verified])).toEqual(
      Array.from({ length: 3 }, () => [eventId, true]),
    );
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const [first, second] = received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect((second ?? 0) - (first ?? 0)).toBe(5);
  });
});

describe('retry policy and what counts as a successful delivery', () => {
  type Delivery = { state: string; next: Date };

  const deliveryOf = async ({ id }: Made) =>
    (
      await rowsOf<Delivery>(fixture, 'select state, next_attempt_at as next from deliveries where invoice_id = $1', [
        id,
      ])
    )[0];

  test('a redirect is a failure and is not followed', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    fixture.receiver.mood = () => 'redirecting';
    await attempted(invoice, 1);
    expect(fixture.receiver.received).toHaveLength(1);
    expect(await deliveryOf(invoice)).toEqual({ state: 'pending', next: new Date(fixture.clock.nowMs() + 5_000) });
    fixture.receiver.mood = () => 'good';
    fixture.clock.advance(5_000);
    await attempted(invoice, 2);
    expect(await deliveryOf(invoice)).toMatchObject({ state: 'delivered' });
  });

  test('410 stops: no further attempt, and callback_status says failed', async () => {
    const invoice = await createInvoice();
    await complete(invoice);
    fixture.receiver.mood = () => 'gone';
    await attempted(invoice, 1);
    expect(await deliveryOf(invoice)).toMatchObject({ state: 'failed' });
    expect((await find(invoice)).callback_status).toBe('failed');
  });

  test('retry-after is honoured', async () => {
    const invoice = await createInvoice();
    await change(invoice);
    fixture.receiver.mood = () => 'busy';
    await attempted(invoice, 1);
    expect(await deliveryOf(invoice)).toEqual({ state: 'pending', next: new Date(fixture.clock.nowMs() + 3_600_000) });
  });
});
