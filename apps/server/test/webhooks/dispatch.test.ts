import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import { createOutbound } from '../../src/lib/outbound-http.ts';
import { rotateWebhookSecret } from '../../src/stores/rotate-webhook-secret.ts';
import { redeliverEvents } from '../../src/webhooks/redeliver-events.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Mood, Receiver } from '../../rig/webhooks/receiver.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import { holdPosts } from '../../rig/webhooks/hold-posts.ts';
import { runDispatcherUntil } from '../../rig/webhooks/run-dispatcher-until.ts';

let own: TestDatabase;
let store: TestStore;
let receiver: Receiver;
let clock: ManualClock;
let outbound: Outbound;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'), 8);
  clock = createManualClock(systemClock.nowMs());
  store = await openStore(own.database, { clock });
  receiver = await startReceiver(() => systemClock.nowMs());
  receiver.secrets.set('shop', store.webhookSecret);
  outbound = createOutbound({ allowPrivate: true });
});
afterAll(async () => {
  await outbound.close();
  await receiver.close();
  await own.drop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.mood = () => 'good';
});

let orders = 0;

/** Expires an unpaid invoice by the engine's writer of status; its event goes to `path`. */
async function expireOne(path: string): Promise<bigint> {
  orders += 1;
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, amount_usd, callback_url, created_at, expires_at, fee_micro_usd)
     values ($1, $2, 50, $3, $4, $5, 0) returning id`,
    [
      store.id,
      `TID-${String(orders).padStart(16, '0')}`,
      `${receiver.url}${path}`,
      new Date(clock.nowMs() - 120_000),
      new Date(clock.nowMs() - 60_000),
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('No invoice was made.');
  await inTransaction(own.as('worker'), (tx) =>
    changeInvoices(tx, new Date(clock.nowMs()), [row.id], new Set([row.id])),
  );
  return row.id;
}

type DeliveryRow = { state: string; attempts: number; next: Date };

async function deliveryOf(invoiceId: bigint): Promise<DeliveryRow | undefined> {
  const { rows } = await own.database.pool.query<DeliveryRow>(
    'select state, attempts, next_attempt_at as next from deliveries where invoice_id = $1 order by id desc limit 1',
    [invoiceId],
  );
  return rows[0];
}

const dispatchUntil = (done: () => Promise<boolean>, through = outbound) =>
  runDispatcherUntil({ database: own.as('worker'), clock, outbound: through, ring: store.ring }, done);

const tried = (invoiceId: bigint, attempts: number) => async () => {
  const delivery = await deliveryOf(invoiceId);
  const { rows } = await own.database.pool.query(
    'select from attempts a join deliveries d on d.id = a.delivery_id where d.invoice_id = $1',
    [invoiceId],
  );
  return delivery?.attempts === attempts && rows.length >= attempts;
};

test('an event is delivered once, and the Standard Webhooks library verifies it', async () => {
  const invoiceId = await expireOne('/shop/callback');
  await dispatchUntil(tried(invoiceId, 1));
  expect(await deliveryOf(invoiceId)).toMatchObject({ state: 'delivered', attempts: 1 });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]).toMatchObject({ verified: true, path: '/shop/callback' });
});

test.each<[Mood, number | null]>([
  ['failing', 500],
  ['redirecting', 302],
  ['resetting', null],
])(
  'a receiver that is %s is tried again after five seconds, with the same id and the same bytes',
  async (mood, status) => {
    receiver.mood = () => mood;
    const invoiceId = await expireOne(`/shop/${mood}`);
    await dispatchUntil(tried(invoiceId, 1));
    expect(await deliveryOf(invoiceId)).toMatchObject({ state: 'pending', next: new Date(clock.nowMs() + 5_000) });
    const { rows } = await own.database.pool.query(
      'select a.status from attempts a join deliveries d on d.id = a.delivery_id where d.invoice_id = $1',
      [invoiceId],
    );
    expect(rows).toEqual([{ status }]);
    receiver.mood = () => 'good';
    clock.advance(5_000);
    await dispatchUntil(tried(invoiceId, 2));
    expect(await deliveryOf(invoiceId)).toMatchObject({ state: 'delivered', attempts: 2 });
    const [first, second] = receiver.received;
    expect(first?.eventId).toBe(second?.eventId);
    expect(first?.body).toBe(second?.body);
  },
);

test('410 ends a delivery at once', async () => {
  receiver.mood = () => 'gone';
  const invoiceId = await expireOne('/shop/gone');
  await dispatchUntil(tried(invoiceId, 1));
  expect(await deliveryOf(invoiceId)).toMatchObject({ state: 'failed', attempts: 1 });
});

test('a claim whose worker died is sent again when its lease has run out', async () => {
  const invoiceId = await expireOne('/shop/orphan');
  await own.database.pool.query(
    `update deliveries set attempts = 1, leased_until = now() + interval '1 hour' where invoice_id = $1`,
    [invoiceId],
  );
  const another = await expireOne('/shop/other');
  await dispatchUntil(tried(another, 1));
  expect(receiver.received.map((one) => one.path)).toEqual(['/shop/other']);
  await own.database.pool.query(`update deliveries set leased_until = now() where invoice_id = $1`, [invoiceId]);
  await dispatchUntil(async () => (await deliveryOf(invoiceId))?.state === 'delivered');
  expect(receiver.received.map((one) => one.path)).toEqual(['/shop/other', '/shop/orphan']);
});

test('one endpoint never has more than four attempts in flight, and a hanging one delays nobody else', async () => {
  let hangs = false;
  const posts = holdPosts(outbound, ({ pathname }) => hangs && pathname === '/shop/hanging');
  const proven = await expireOne('/shop/hanging');
  let good: bigint | undefined;
  let heldMeanwhile = 0;
  await dispatchUntil(async () => {
    if (!hangs && (await deliveryOf(proven))?.state === 'delivered') {
      hangs = true;
      for (let made = 0; made < 12; made += 1) await expireOne('/shop/hanging');
    }
    if (good === undefined && posts.held() >= 4) good = await expireOne('/shop/healthy');
    if (good === undefined || (await deliveryOf(good))?.state !== 'delivered') return false;
    heldMeanwhile = posts.held();
    posts.letGo();
    return true;
  }, posts.outbound);
  expect(heldMeanwhile).toBe(4);
  await own.database.pool.query(`update deliveries set state = 'failed' where state = 'pending'`);
});

test('the first success after failures pulls the waiting retries of its endpoint forward, spaced', async () => {
  receiver.mood = () => 'failing';
  const ids = [await expireOne('/shop/back'), await expireOne('/shop/back'), await expireOne('/shop/back')];
  for (const id of ids) await dispatchUntil(tried(id, 1));
  await own.database.pool.query(`update deliveries set next_attempt_at = $2 where invoice_id = any($1::bigint[])`, [
    ids,
    new Date(clock.nowMs() + 3_600_000),
  ]);
  receiver.mood = () => 'good';
  const fresh = await expireOne('/shop/back');
  await dispatchUntil(async () => (await deliveryOf(fresh))?.state === 'delivered');
  clock.advance(1_000);
  await dispatchUntil(async () => {
    const states = await Promise.all(ids.map((id) => deliveryOf(id)));
    return states.every((delivery) => delivery?.state === 'delivered');
  });
});

test('while a secret is rotated both verify; afterwards only the new one signs', async () => {
  const rotated = await rotateWebhookSecret(
    { database: own.as('admin'), clock, ring: store.ring, jobs: undefined },
    TESTER,
    {
      store: store.ref,
      overlapHours: 1,
    },
  );
  receiver.secrets.set('new', rotated);
  const both = [await expireOne('/shop/rotated'), await expireOne('/new/rotated')];
  for (const id of both) await dispatchUntil(tried(id, 1));
  expect(receiver.received).toMatchObject([
    { verified: true, signatures: 2 },
    { verified: true, signatures: 2 },
  ]);
  clock.advance(2 * 3_600_000);
  receiver.received.length = 0;
  const after = await expireOne('/new/rotated');
  await dispatchUntil(tried(after, 1));
  expect(receiver.received).toMatchObject([{ signatures: 1 }]);
});

test('an event can be sent again as it was', async () => {
  const invoiceId = await expireOne('/shop/again');
  await dispatchUntil(tried(invoiceId, 1));
  const [first] = receiver.received;
  const count = await redeliverEvents({ database: own.database, clock }, TESTER, {
    store: store.ref,
    eventId: first?.eventId ?? '',
  });
  expect(count).toEqual({ redelivered: 1, erased: 0 });
  await dispatchUntil(async () => receiver.received.length === 2);
  expect(receiver.received[1]).toMatchObject({ eventId: first?.eventId, body: first?.body });
});
