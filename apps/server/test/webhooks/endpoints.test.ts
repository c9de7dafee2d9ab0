import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type { MadeEndpoint } from '../../rig/webhooks/add-endpoint.ts';
import { addEndpoint } from '../../rig/webhooks/add-endpoint.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import {
  dispatchUntil,
  endInvoices,
  nothingPending,
  openWebhookFixture,
  payInvoices,
  rowsOf,
  storeOf,
  urlOf,
} from '../../rig/webhooks/webhook-fixture.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { reconcileEvents } from '../../src/invoices/reconcile-events.ts';
import { changeWebhookEndpoint, deleteWebhookEndpoint } from '../../src/webhooks/change-webhook-endpoint.ts';
import { countReplay } from '../../src/webhooks/count-replay.ts';
import { drainEndpoints } from '../../src/webhooks/drain-endpoints.ts';
import { listWebhookEndpoints } from '../../src/webhooks/endpoint-list-sql.ts';
import { redeliverEvents } from '../../src/webhooks/redeliver-events.ts';
import { revealEndpointSecret, rotateEndpointSecret } from '../../src/webhooks/rotate-endpoint-secret.ts';
import { sendTestEvent } from '../../src/webhooks/send-test-event.ts';

/** Webhook endpoints of a store, beside the callback URLs of its invoices. */

const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'), 2);
});
afterAll(() => fixture.close());
afterEach(async () => {
  fixture.receiver.mood = () => 'good';
  for (const store of fixture.stores) {
    const at = new Date(fixture.clock.nowMs());
    for (const { code } of await listWebhookEndpoints(fixture.database.queries, store.id, at))
      await deleteWebhookEndpoint(fixture, TESTER, { store: store.ref, endpoint: code });
  }
  await drainEndpoints({ database: fixture.as('worker'), clock: fixture.clock });
  fixture.clock.advance(HOUR_MS);
  await dispatchUntil(fixture, nothingPending(fixture));
  fixture.receiver.received.length = 0;
  await fixture.database.pool.query('delete from alarms');
});

type Body = {
  event: string;
  event_id: string;
  sequence?: number;
  trans_id: string;
  status: string;
  money?: Record<string, unknown>;
};

type Receipt = WebhookFixture['receiver']['received'][number];

const bodyOf = ({ body }: { body: string }) => JSON.parse(body) as Body;
const receivedAt = ({ path }: { path: string }) => fixture.receiver.received.filter((one) => one.path === path);
const typesAt = (endpoint: { path: string }) => receivedAt(endpoint).map((one) => bodyOf(one).event);
/** Whether a secret signed it, at the fixture's time. */
function isSignedBy(secret: string, { body, eventId, headers }: Receipt): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const expected = new Webhook(secret).sign(eventId, at, body);
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

const signersOf = (receipt: Receipt, secrets: Record<string, string>) =>
  Object.keys(secrets).filter((name) => isSignedBy(secrets[name] ?? '', receipt));

const pathOf = (url: string) => ({ path: new URL(url).pathname });
const named = (endpoint: MadeEndpoint) => ({ store: storeOf(fixture).ref, endpoint: endpoint.code });
const allSent = () => dispatchUntil(fixture, nothingPending(fixture));

type NewInvoice = { id: bigint; trans_id: string };
let made = 0;

/** An invoice that waits for its payment. */
async function openInvoice(callbackUrl: string | null, store = storeOf(fixture)): Promise<NewInvoice> {
  made += 1;
  const [invoice] = await rowsOf<NewInvoice>(
    fixture,
    `insert into invoices (store_id, trans_id, amount_usd, callback_url, created_at, expires_at, fee_micro_usd)
     values ($1, $2, 50, $3, $4, $4::timestamptz + interval '30 days', 0) returning id, trans_id`,
    [store.id, `TID-${String(made).padStart(16, 'E')}`, callbackUrl, new Date(fixture.clock.nowMs())],
  );
  if (!invoice) throw new Error('An inserted invoice has no row.');
  return invoice;
}

const change = (invoice: NewInvoice, covered: 'covered' | 'open' = 'open') =>
  inTransaction(fixture.as('worker'), (tx) =>
    changeInvoices(
      tx,
      new Date(fixture.clock.nowMs()),
      [invoice.id],
      new Set(covered === 'covered' ? [invoice.id] : []),
    ),
  );

/** Pays an invoice at a height that is not covered, so that the payment is seen and not settled. */
async function seePayment({ id }: NewInvoice): Promise<void> {
  await fixture.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, invoice_id)
     values ('BSC', '0x' || md5('seen' || $1::bigint::text), '0', 'USDT', '0xpayer', '0xshop', 1, 9, '0x', $2, $2, $1)`,
    [id, new Date(fixture.clock.nowMs())],
  );
}

const setCanonical = ({ id }: NewInvoice, canonical: boolean) =>
  fixture.database.pool.query('update transfers set canonical = $2 where invoice_id = $1', [id, canonical]);

const callbackStatusOf = async ({ trans_id: transId }: { trans_id: string }) =>
  (
    await rowsOf<{ status: string | null }>(
      fixture,
      'select callback_status as status from invoices where trans_id = $1',
      [transId],
    )
  )[0]?.status;

const newestInvoice = async () => {
  const [row] = await rowsOf<NewInvoice>(fixture, 'select id, trans_id from invoices order by id desc limit 1');
  if (!row) throw new Error('There is no invoice.');
  return row;
};

test('an endpoint receives the event that the callback URL receives, each signed with its own secret', async () => {
  const endpoint = await addEndpoint(fixture, 'own-secret');
  const url = urlOf(fixture, 'beside');
  await endInvoices(fixture, url, 'completed');
  await allSent();
  const [callback] = receivedAt(pathOf(url)) as [Receipt];
  const [sent] = receivedAt(endpoint) as [Receipt];
  const secrets = { store: storeOf(fixture).webhookSecret, endpoint: endpoint.secret };
  expect(signersOf(callback, secrets)).toEqual(['store']);
  expect(signersOf(sent, secrets)).toEqual(['endpoint']);
  expect([sent.body, sent.eventId]).toEqual([callback.body, callback.eventId]);
  expect(fixture.receiver.received).toHaveLength(2);
});

test('an endpoint with the URL of a callback has deliveries and health of its own', async () => {
  const url = urlOf(fixture, 'shared');
  const endpoint = await addEndpoint(fixture, String(storeOf(fixture).id), { url });
  await endInvoices(fixture, url, 'expired');
  await dispatchUntil(fixture, () => receivedAt(endpoint).length === 2);
  await allSent();
  const rows = await rowsOf(fixture, `select url from endpoints where url in ($1, $2) and answered_at is not null`, [
    url,
    endpoint.code,
  ]);
  expect(rows).toHaveLength(2);
  fixture.receiver.secrets.set(String(storeOf(fixture).id), storeOf(fixture).webhookSecret);
});

test('an invoice without a callback URL is told to endpoints, and has no callback status', async () => {
  const endpoint = await addEndpoint(fixture, 'no-callback');
  const invoice = await openInvoice(null);
  await payInvoices(fixture, [invoice.id]);
  await change(invoice);
  await allSent();
  expect(receivedAt(endpoint).map(bodyOf)).toMatchObject([{ event: 'invoice.completed', trans_id: invoice.trans_id }]);
  expect(await callbackStatusOf(invoice)).toBeNull();
});

test('an endpoint receives only the types that it was given', async () => {
  const ends = await addEndpoint(fixture, 'ends', { types: ['invoice.expired'] });
  const paid = await addEndpoint(fixture, 'paid', { types: ['invoice.completed', 'invoice.processing'] });
  await endInvoices(fixture, urlOf(fixture, 'types'), 'expired', 'completed');
  await allSent();
  expect(typesAt(ends)).toEqual(['invoice.expired']);
  expect(typesAt(paid)).toEqual(['invoice.completed']);
});

test('an endpoint of another store receives nothing', async () => {
  const other = await addEndpoint(fixture, 'other', { store: storeOf(fixture, 1) });
  await endInvoices(fixture, urlOf(fixture, 'mine'), 'completed');
  await allSent();
  expect(receivedAt(other)).toEqual([]);
});

test('the new types never reach a callback URL, and its events are numbered as without endpoints', async () => {
  const endpoint = await addEndpoint(fixture, 'processing');
  const url = urlOf(fixture, 'never-new');
  const invoice = await openInvoice(url);
  await seePayment(invoice);
  await change(invoice);
  await payInvoices(fixture, [invoice.id]);
  await change(invoice);
  await allSent();
  expect(typesAt(endpoint)).toEqual(['invoice.processing', 'invoice.completed', 'invoice.money_received']);
  const [only, ...others] = receivedAt(pathOf(url)).map(bodyOf);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ event: 'invoice.completed', sequence: 1, status: 'completed' });
  expect(receivedAt(endpoint).map((one) => bodyOf(one).sequence)).toEqual([undefined, 1, undefined]);
});

test('each time an invoice begins to process is an event of its own, with the same ids after a restore', async () => {
  const endpoint = await addEndpoint(fixture, 'again', { types: ['invoice.processing'] });
  const invoice = await openInvoice(null);
  const process = async () => {
    await setCanonical(invoice, true);
    await change(invoice);
    await setCanonical(invoice, false);
    await change(invoice);
  };
  await seePayment(invoice);
  await process();
  await process();
  await allSent();
  const ids = receivedAt(endpoint).map(({ eventId }) => eventId);
  expect(new Set(ids).size).toBe(2);
  await fixture.database.pool.query(
    'delete from attempts where delivery_id in (select id from deliveries where invoice_id = $1)',
    [invoice.id],
  );
  await fixture.database.pool.query('delete from deliveries where invoice_id = $1', [invoice.id]);
  await fixture.database.pool.query('delete from events where invoice_id = $1', [invoice.id]);
  await process();
  await process();
  await allSent();
  expect(receivedAt(endpoint).map(({ eventId }) => eventId)).toEqual([...ids, ...ids]);
});

test('a second payment is money received, once, with the identity of its transfer', async () => {
  const endpoint = await addEndpoint(fixture, 'money', { types: ['invoice.money_received'] });
  const invoice = await openInvoice(null);
  await payInvoices(fixture, [invoice.id]);
  await change(invoice);
  await seePayment(invoice);
  await change(invoice);
  await change(invoice);
  await allSent();
  const [row] = await rowsOf<{ tx: string }>(
    fixture,
    'select tx_id as tx from transfers where invoice_id = $1 and height = 9',
    [invoice.id],
  );
  expect(receivedAt(endpoint).map(bodyOf)).toMatchObject([
    {
      event: 'invoice.money_received',
      trans_id: invoice.trans_id,
      status: 'completed',
      money: {
        transaction_hash: row?.tx,
        network_symbol: 'BSC',
        token_symbol: 'USDT',
        amount: '0.000000000000000001',
        reason: 'already_paid',
        match: 'exact',
      },
    },
  ]);
});

test.each<['failing' | 'good', 'failing' | 'good', string]>([
  ['good', 'failing', 'success'],
  ['failing', 'good', 'failed'],
])(
  'the callback status with a %s callback URL and a %s endpoint is of the callback URL alone',
  async (callback, other, status) => {
    const endpoint = await addEndpoint(fixture, `status-${other}`);
    const url = urlOf(fixture, `status-${callback}`);
    fixture.receiver.mood = (path) => (path === endpoint.path ? other : callback);
    await endInvoices(fixture, url, 'completed');
    await dispatchUntil(fixture, async () => {
      const rows = await rowsOf(fixture, `select from deliveries where invoice_id = $1 and attempts = 0`, [
        (await newestInvoice()).id,
      ]);
      return rows.length === 0 && (await callbackStatusOf(await newestInvoice())) !== null;
    });
    expect(await callbackStatusOf(await newestInvoice())).toBe(status);
  },
);

test('a completed event waits for the first attempt of the expired event at its own endpoint alone', async () => {
  const slow = await addEndpoint(fixture, 'slow-order');
  const url = urlOf(fixture, 'quick-order');
  const invoice = await openInvoice(url);
  await change(invoice, 'covered');
  await payInvoices(fixture, [invoice.id]);
  await change(invoice);
  // The endpoint's first delivery is leased by a worker that is gone, for as long as the lease lasts.
  await fixture.database.pool.query(
    `update deliveries set leased_until = now() + interval '1 hour' where invoice_id = $1 and sequence = 1
     and endpoint_id = (select endpoint_id from webhook_endpoints where code = $2)`,
    [invoice.id, slow.code],
  );
  await dispatchUntil(fixture, () => receivedAt(pathOf(url)).length === 2);
  expect(typesAt(pathOf(url))).toEqual(['invoice.expired', 'invoice.completed']);
  expect(receivedAt(slow)).toEqual([]);
  await fixture.database.pool.query(`update deliveries set leased_until = '-infinity' where invoice_id = $1`, [
    invoice.id,
  ]);
  await allSent();
  expect(typesAt(slow)).toEqual(['invoice.expired', 'invoice.completed']);
});

test('a store has at most ten endpoints, also when they are added at the same moment', async () => {
  const added = await Promise.allSettled(
    Array.from({ length: 12 }, (_unused, index) => addEndpoint(fixture, `many-${index}`)),
  );
  const refused = added.filter((one) => one.status === 'rejected').map(({ reason }) => reason as { code: string });
  expect(refused.map(({ code }) => code)).toEqual(['TOO_MANY_ENDPOINTS', 'TOO_MANY_ENDPOINTS']);
  const [first] = await listWebhookEndpoints(
    fixture.database.queries,
    storeOf(fixture).id,
    new Date(fixture.clock.nowMs()),
  );
  await deleteWebhookEndpoint(fixture, TESTER, { store: storeOf(fixture).ref, endpoint: first?.code ?? '' });
  await expect(addEndpoint(fixture, 'many-again')).resolves.toMatchObject({ path: '/many-again/hook' });
});

test.each([
  ['not a URL', 'shop.example/hook', 'CALLBACK_INVALID'],
  ['longer than 500 characters', `https://shop.example/${'x'.repeat(500)}`, 'CALLBACK_INVALID'],
  ['of another scheme', 'ftp://shop.example/hook', 'CALLBACK_INVALID'],
])('an endpoint whose URL is %s is refused', async (_what, url, code) => {
  await expect(addEndpoint(fixture, 'refused', { url })).rejects.toMatchObject({ code });
});

test('a rotated secret of an endpoint signs together with the old one until the overlap ends; the store keeps its own', async () => {
  const endpoint = await addEndpoint(fixture, 'rotated');
  const { ring } = storeOf(fixture);
  const context = { ...fixture, ring, jobs: undefined };
  const rotated = await rotateEndpointSecret(context, TESTER, { ...named(endpoint), overlapHours: 1 });
  const url = urlOf(fixture, 'not-rotated');
  await endInvoices(fixture, url, 'expired');
  await allSent();
  const secrets = { store: storeOf(fixture).webhookSecret, old: endpoint.secret, rotated };
  expect(receivedAt(endpoint).map((one) => signersOf(one, secrets))).toEqual([['old', 'rotated']]);
  expect(receivedAt(pathOf(url)).map((one) => signersOf(one, secrets))).toEqual([['store']]);
  fixture.clock.advance(HOUR_MS + 60_001);
  await endInvoices(fixture, url, 'expired');
  await allSent();
  expect(receivedAt(endpoint).map((one) => signersOf(one, secrets))[1]).toEqual(['rotated']);
});

test('revealing the secret of an endpoint is audited', async () => {
  const endpoint = await addEndpoint(fixture, 'revealed');
  const context = { ...fixture, ring: storeOf(fixture).ring };
  expect(await revealEndpointSecret(context, TESTER, named(endpoint))).toBe(endpoint.secret);
  const [entry] = await rowsOf(fixture, 'select action, details from audit_entries order by id desc limit 1');
  expect(entry).toEqual({ action: 'endpoint_secret.reveal', details: { endpoint: endpoint.code } });
});

test('what waits for a disabled endpoint ends, with the reason in its log, and nothing more is sent to it', async () => {
  const endpoint = await addEndpoint(fixture, 'disabled');
  fixture.receiver.mood = (path) => (path === endpoint.path ? 'failing' : 'good');
  await endInvoices(fixture, urlOf(fixture, 'goes-on'), 'expired');
  await dispatchUntil(fixture, () => receivedAt(endpoint).length === 1);
  await changeWebhookEndpoint(fixture, TESTER, { ...named(endpoint), change: { enabled: false } });
  await endInvoices(fixture, urlOf(fixture, 'goes-on'), 'expired');
  fixture.clock.advance(HOUR_MS);
  await dispatchUntil(fixture, () => receivedAt(pathOf(urlOf(fixture, 'goes-on'))).length === 2);
  expect(await drainEndpoints({ database: fixture.as('worker'), clock: fixture.clock })).toMatchObject({ ended: 1 });
  expect(receivedAt(endpoint)).toHaveLength(1);
  const rows = await rowsOf(
    fixture,
    `select d.state, d.attempts, (select a.error from attempts a where a.delivery_id = d.id order by a.number desc limit 1) as error
     from deliveries d join webhook_endpoints w on w.endpoint_id = d.endpoint_id where w.code = $1`,
    [endpoint.code],
  );
  expect(rows).toEqual([
    { state: 'failed', attempts: 2, error: 'disabled: The endpoint was disabled. Nothing was sent.' },
  ]);
  const [health] = await rowsOf(fixture, 'select failures, failing_since from endpoints where url = $1', [
    endpoint.code,
  ]);
  expect(health).toEqual({ failures: 0, failing_since: null });
});

test('an enabled endpoint receives what happens from then on', async () => {
  const endpoint = await addEndpoint(fixture, 'enabled');
  const set = (enabled: boolean) => changeWebhookEndpoint(fixture, TESTER, { ...named(endpoint), change: { enabled } });
  await set(false);
  await expect(set(false)).rejects.toMatchObject({ code: 'ENDPOINT_UNCHANGED' });
  await endInvoices(fixture, urlOf(fixture, 'before'), 'expired');
  await set(true);
  await endInvoices(fixture, urlOf(fixture, 'after'), 'completed');
  await allSent();
  expect(typesAt(endpoint)).toEqual(['invoice.completed']);
});

test('a deleted endpoint is unknown, and its deliveries say why they ended', async () => {
  const endpoint = await addEndpoint(fixture, 'deleted');
  await endInvoices(fixture, urlOf(fixture, 'stays'), 'expired');
  await deleteWebhookEndpoint(fixture, TESTER, named(endpoint));
  await drainEndpoints({ database: fixture.as('worker'), clock: fixture.clock });
  await allSent();
  expect(receivedAt(endpoint)).toEqual([]);
  const context = { ...fixture, privateCallbacks: true };
  await expect(sendTestEvent(context, TESTER, named(endpoint))).rejects.toMatchObject({ code: 'ENDPOINT_UNKNOWN' });
  const [log] = await rowsOf<{ error: string }>(
    fixture,
    'select error from attempts where error is not null order by at desc limit 1',
  );
  expect(log?.error).toBe('deleted: The endpoint was deleted. Nothing was sent.');
});

test('a test event goes to one endpoint, signed with its secret', async () => {
  const endpoint = await addEndpoint(fixture, 'tested', { types: ['invoice.expired'] });
  const other = await addEndpoint(fixture, 'untested');
  const context = { ...fixture, privateCallbacks: true };
  const eventId = await sendTestEvent(context, TESTER, named(endpoint));
  await allSent();
  expect(receivedAt(endpoint).map((one) => [one.eventId, isSignedBy(endpoint.secret, one)])).toEqual([[eventId, true]]);
  expect(receivedAt(other)).toEqual([]);
});

test('events are sent again to one endpoint, also those from before it was added', async () => {
  const url = urlOf(fixture, 'earlier');
  const from = new Date(fixture.clock.nowMs());
  await endInvoices(fixture, url, 'expired', 'completed');
  await allSent();
  fixture.clock.advance(1_000);
  const types: InvoiceEventType[] = ['invoice.completed'];
  const endpoint = await addEndpoint(fixture, 'catches-up', { types });
  const range = { ...named(endpoint), from, to: new Date(fixture.clock.nowMs()) };
  expect(await countReplay(fixture, TESTER, range)).toEqual({ redelivered: 1, erased: 0, pending: 0 });
  expect(await redeliverEvents(fixture, TESTER, range)).toEqual({ redelivered: 1, erased: 0 });
  await allSent();
  expect(typesAt(endpoint)).toEqual(['invoice.completed']);
  expect(receivedAt(pathOf(url))).toHaveLength(2);
  await redeliverEvents(fixture, TESTER, { store: storeOf(fixture).ref, from, to: range.to });
  await allSent();
  expect(receivedAt(pathOf(url))).toHaveLength(4);
  expect(receivedAt(endpoint)).toHaveLength(1);
  await changeWebhookEndpoint(fixture, TESTER, { ...named(endpoint), change: { enabled: false } });
  await expect(redeliverEvents(fixture, TESTER, range)).rejects.toMatchObject({ code: 'ENDPOINT_DISABLED' });
});

async function reconcile() {
  fixture.clock.advance(QUARTER_MS + 1);
  return reconcileEvents({ database: fixture.as('worker'), clock: fixture.clock }, { kind: 'worker', name: 'test' });
}

async function forgetDeliveries(where: string, values: unknown[]): Promise<void> {
  await fixture.database.pool.query(`delete from deliveries d ${where}`, values);
}

test('a missing delivery to an endpoint is written by the hourly check, and that to the callback URL is left alone', async () => {
  const endpoint = await addEndpoint(fixture, 'missing');
  fixture.clock.advance(2 * 60_000);
  await reconcile();
  const url = urlOf(fixture, 'not-missing');
  await endInvoices(fixture, url, 'completed');
  await forgetDeliveries('using webhook_endpoints w where w.endpoint_id = d.endpoint_id and w.code = $1', [
    endpoint.code,
  ]);
  expect(await reconcile()).toMatchObject({ checked: 1, events: 0, deliveries: 1 });
  await allSent();
  expect(typesAt(endpoint)).toEqual(['invoice.completed']);
  expect(receivedAt(pathOf(url))).toHaveLength(1);
  expect(await reconcile()).toMatchObject({ checked: 0, deliveries: 0 });
});

test('a missing delivery to the callback URL is written although an endpoint has one', async () => {
  await addEndpoint(fixture, 'has-one');
  await reconcile();
  const url = urlOf(fixture, 'has-none');
  await endInvoices(fixture, url, 'completed');
  await forgetDeliveries('using endpoints p where p.id = d.endpoint_id and p.url = $1', [url]);
  expect(await reconcile()).toMatchObject({ events: 0, deliveries: 1 });
  await allSent();
  expect(receivedAt(pathOf(url))).toHaveLength(1);
});

test('a missing event of an invoice without a callback URL is written for the endpoints', async () => {
  const endpoint = await addEndpoint(fixture, 'no-event');
  fixture.clock.advance(2 * 60_000);
  await reconcile();
  const invoice = await openInvoice(null);
  await change(invoice, 'covered');
  await forgetDeliveries('where d.invoice_id = $1', [invoice.id]);
  await fixture.database.pool.query('delete from events where invoice_id = $1', [invoice.id]);
  expect(await reconcile()).toMatchObject({ checked: 1, events: 1, deliveries: 0 });
  await allSent();
  expect(typesAt(endpoint)).toEqual(['invoice.expired']);
});

test('an end from before an endpoint was added is no missing delivery', async () => {
  await reconcile();
  await endInvoices(fixture, urlOf(fixture, 'older'), 'expired');
  await change(await openInvoice(null), 'covered');
  await addEndpoint(fixture, 'younger');
  expect(await reconcile()).toMatchObject({ checked: 2, events: 0, deliveries: 0 });
});

test('without endpoints, invoices without a callback URL are not read by the hourly check and have no rows', async () => {
  await reconcile();
  const invoice = await openInvoice(null);
  await change(invoice, 'covered');
  expect(await reconcile()).toMatchObject({ checked: 0 });
  expect(await rowsOf(fixture, 'select from events where invoice_id = $1', [invoice.id])).toEqual([]);
});

test('an endpoint whose secret is lost delays neither the callback URL nor another endpoint', async () => {
  const lost = await addEndpoint(fixture, 'lost');
  const fine = await addEndpoint(fixture, 'fine');
  await fixture.database.pool.query(
    `update secrets set ring_key_id = null, sealed = null, abandoned_at = now() where id in (
       select s.secret_id from webhook_endpoint_secrets s join webhook_endpoints w using (endpoint_id) where w.code = $1)`,
    [lost.code],
  );
  const url = urlOf(fixture, 'unharmed');
  await endInvoices(fixture, url, 'expired', 'expired');
  const done = () => receivedAt(fine).length === 2 && receivedAt(pathOf(url)).length === 2;
  await dispatchUntil(fixture, done, { rest: () => Promise.resolve() });
  expect(receivedAt(lost)).toEqual([]);
});

test('a store whose own secret is lost is still heard at its endpoints', async () => {
  const endpoint = await addEndpoint(fixture, 'still-heard');
  const store = storeOf(fixture);
  const hidden = await rowsOf<{ id: bigint; sealed: Buffer; ring_key_id: string }>(
    fixture,
    `select id, sealed, ring_key_id from secrets where id in (select secret_id from webhook_secrets where store_id = $1)`,
    [store.id],
  );
  await fixture.database.pool.query(
    'update secrets set ring_key_id = null, sealed = null, abandoned_at = now() where id = any($1::bigint[])',
    [hidden.map(({ id }) => id)],
  );
  await endInvoices(fixture, urlOf(fixture, 'unheard'), 'expired', 'expired', 'expired');
  await dispatchUntil(fixture, () => receivedAt(endpoint).length === 3, { rest: () => Promise.resolve() });
  for (const one of hidden)
    await fixture.database.pool.query(
      'update secrets set ring_key_id = $2, sealed = $3, abandoned_at = null where id = $1',
      [one.id, one.ring_key_id, one.sealed],
    );
});

test('an endpoint that is back gets its waiting retries, and only its own', async () => {
  const down = await addEndpoint(fixture, 'down');
  const other = await addEndpoint(fixture, 'other-down');
  fixture.receiver.mood = (path) => (path === down.path || path === other.path ? 'failing' : 'good');
  await endInvoices(fixture, urlOf(fixture, 'up'), 'expired', 'expired', 'expired');
  await dispatchUntil(fixture, () => receivedAt(down).length === 3 && receivedAt(other).length === 3);
  const waiting = () =>
    rowsOf<{ code: string; unscheduled: number }>(
      fixture,
      `select w.code, sum(d.unscheduled)::integer as unscheduled from deliveries d join webhook_endpoints w on w.endpoint_id = d.endpoint_id
       where w.code in ($1, $2) group by w.code, w.endpoint_id order by w.endpoint_id`,
      [down.code, other.code],
    );
  fixture.receiver.mood = (path) => (path === other.path ? 'failing' : 'good');
  fixture.clock.advance(HOUR_MS * 24);
  await dispatchUntil(fixture, () => receivedAt(down).length === 6);
  expect((await waiting())[1]).toMatchObject({ code: other.code, unscheduled: 0 });
});

test('an endpoint that answers 410 gets no retry of that event', async () => {
  const gone = await addEndpoint(fixture, 'gone');
  fixture.receiver.mood = (path) => (path === gone.path ? 'gone' : 'good');
  await endInvoices(fixture, urlOf(fixture, 'not-gone'), 'completed');
  await allSent();
  expect(receivedAt(gone)).toHaveLength(1);
  expect(await callbackStatusOf(await newestInvoice())).toBe('success');
});
