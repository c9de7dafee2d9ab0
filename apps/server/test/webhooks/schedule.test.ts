import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Endpoint, Ending } from '../../rig/webhooks/write-events.ts';
import { openStores, secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import { createOutbound } from '../../src/lib/outbound-http.ts';
import type { EndedAttempt } from '../../src/webhooks/attempt-sql.ts';
import { saveAttempts } from '../../src/webhooks/attempt-sql.ts';
import { MAX_ATTEMPTS } from '../../src/webhooks/delivery.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Receiver } from '../../rig/webhooks/receiver.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import { holdPosts } from '../../rig/webhooks/hold-posts.ts';
import type { Dispatching } from '../../rig/webhooks/run-dispatcher-until.ts';
import { runDispatcherUntil } from '../../rig/webhooks/run-dispatcher-until.ts';

/** Promises of the schedule, also to endpoints that behave oddly. */

let own: TestDatabase;
let stores: TestStore[];
let receiver: Receiver;
let clock: ManualClock;
let outbound: Outbound;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'), 8);
  clock = createManualClock(systemClock.nowMs());
  stores = await openStores(own.database, 2);
  receiver = await startReceiver(() => systemClock.nowMs());
  for (const [store, secret] of Object.entries(secretsOf(stores))) receiver.secrets.set(store, secret);
  outbound = createOutbound({ allowPrivate: true });
});
afterAll(async () => {
  await outbound.close();
  await receiver.close();
  await own.drop();
});
let endpoints: Endpoint[];
let made = 0;
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.mood = () => 'good';
  await own.database.pool.query(`update deliveries set state = 'failed' where state = 'pending'`);
  // New endpoints for each test, so that no test depends on what another one left.
  made += 1;
  endpoints = spreadEndpoints(stores, [receiver.url], 2).map(({ store, path, url }) => ({
    store,
    path: `${path}-${made}`,
    url: `${url}-${made}`,
  }));
});

const first = () => endpoints[0] as Endpoint;

async function write(endpoint: Endpoint, ...endings: Ending[]): Promise<void> {
  await writeEvents(
    own.database,
    clock,
    endings.map((ending) => ({ endpoint, ending })),
    new Map(),
  );
}

type DeliveryRow = { id: bigint; state: string; attempts: number; unscheduled: number; sequence: number };

async function deliveries(endpoint: Endpoint): Promise<DeliveryRow[]> {
  const { rows } = await own.database.pool.query<DeliveryRow>(
    `select d.id, d.state, d.attempts, d.unscheduled, d.sequence from deliveries d join endpoints p on p.id = d.endpoint_id
     where p.url = $1 order by d.id`,
    [endpoint.url],
  );
  return rows;
}

async function dispatchUntil(
  done: () => Promise<boolean>,
  changes: Partial<Pick<Dispatching, 'outbound' | 'mayClaim'>> = {},
): Promise<void> {
  const { ring } = stores[0] as TestStore;
  await runDispatcherUntil({ database: own.as('worker'), clock, outbound, ring, ...changes }, done);
}

const allDelivered = (endpoint: Endpoint) => async () =>
  (await deliveries(endpoint)).every(({ state }) => state === 'delivered');

/** Claims that begin while the first request is held: all but the last are over by then. */
const CLAIMS_MEANWHILE = 3;

test('a later event of an invoice is not sent while the first attempt of the earlier one is under way', async () => {
  const sent: unknown[] = [];
  const posts = holdPosts(outbound, () => sent.length === 1);
  const post: Outbound['post'] = (url, request) => {
    sent.push(JSON.parse(request.body));
    return posts.outbound.post(url, request);
  };
  await write(first(), 'found-late');
  let claims = 0;
  let sentMeanwhile: unknown[] = [];
  const mayClaim = () => {
    if (posts.held() === 1) claims += 1;
    if (claims === CLAIMS_MEANWHILE) {
      sentMeanwhile = [...sent];
      posts.letGo();
    }
    return true;
  };
  await dispatchUntil(async () => (await deliveries(first())).some(({ state }) => state === 'delivered'), {
    outbound: { ...outbound, post },
    mayClaim,
  });
  expect(sentMeanwhile).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
  expect(sent).toMatchObject([
    { event: 'invoice.expired', sequence: 1 },
    { event: 'invoice.completed', sequence: 2, late: true },
  ]);
});

test('one event that is refused keeps its whole schedule, though its endpoint takes all others', async () => {
  await write(first(), 'expired');
  const [{ id }] = (await deliveries(first())) as [DeliveryRow];
  const { rows } = await own.database.pool.query<{ event_id: string }>(
    'select e.event_id from events e join deliveries d on d.event_row_id = e.id where d.id = $1',
    [id],
  );
  const refused = rows[0]?.event_id;
  receiver.mood = (_path, eventId) => (eventId === refused ? 'failing' : 'good');
  const refusals = () => receiver.received.filter(({ eventId }) => eventId === refused).length;
  const tryRefused = async (afterMs: number) => {
    clock.advance(afterMs);
    const before = refusals();
    await dispatchUntil(async () => refusals() > before);
  };
  await tryRefused(0);
  await tryRefused(5_000);
  await tryRefused(30_000);
  // The next attempt would be in five minutes, and each new event pulls it forward.
  for (let pulls = 1; pulls <= MAX_ATTEMPTS; pulls += 1) {
    await write(first(), 'expired');
    await dispatchUntil(
      async () => (await deliveries(first())).filter(({ state }) => state === 'pending').length === 1,
    );
    await tryRefused(1_000);
  }
  await write(first(), 'expired');
  await dispatchUntil(async () => (await deliveries(first())).filter(({ state }) => state === 'pending').length === 1);
  const { rows: left } = await own.database.pool.query(
    'select state, attempts, unscheduled, next_attempt_at from deliveries where id = $1',
    [id],
  );
  // Fifteen attempts were made, three of them scheduled; the schedule continues, and nothing is moved forward.
  expect(left).toEqual([
    { state: 'pending', attempts: 15, unscheduled: 12, next_attempt_at: new Date(clock.nowMs() + 300_000) },
  ]);
});

test('an attempt that was lost with its worker is not charged to the schedule', async () => {
  await write(first(), 'expired');
  await own.database.pool.query(
    `update deliveries set attempts = 12, unscheduled = 11, leased_until = now() - interval '1 second' where id = $1`,
    [(await deliveries(first()))[0]?.id],
  );
  receiver.mood = () => 'failing';
  await dispatchUntil(async () => receiver.received.length === 1);
  expect(await deliveries(first())).toMatchObject([{ state: 'pending', attempts: 13, unscheduled: 12 }]);
});

test('a store that holds all its slots with hanging endpoints does not hide the others', async () => {
  const posts = holdPosts(outbound, ({ host }) => host === 'hanging.example');
  const [healthy, bad] = endpoints as [Endpoint, Endpoint];
  // Many addresses of one store with more due rows than one claim reads, all older than the other store's row.
  const wanted = Array.from({ length: 600 }, (_unused, index) => ({
    endpoint: { ...bad, url: `https://hanging.example${bad.path}/${index % 40}` },
    ending: 'expired' as const,
  }));
  await writeEvents(own.database, clock, wanted, new Map());
  // Each address is on its own host, so that only the store's cap applies.
  await own.database.pool.query(`update deliveries set host = endpoint_id::text where state = 'pending'`);
  clock.advance(1);
  await write(healthy, 'expired');
  let heldMeanwhile = 0;
  await dispatchUntil(
    async () => {
      if (!(await allDelivered(healthy)())) return false;
      heldMeanwhile = posts.held();
      posts.letGo();
      return true;
    },
    { outbound: posts.outbound },
  );
  expect(heldMeanwhile).toBeGreaterThan(0);
  expect(heldMeanwhile).toBeLessThanOrEqual(32);
  expect(receiver.received).toHaveLength(1);
});

/** An attempt that just ended; after a failure the next one is due in an hour. */
function endedAttempt(id: bigint, number: number, succeeded: boolean): EndedAttempt {
  return {
    deliveryId: id,
    number,
    at: new Date(clock.nowMs()),
    durationMs: 5,
    status: succeeded ? 200 : 500,
    error: null,
    requestHeaders: {},
    responseExcerpt: '',
    state: succeeded ? 'delivered' : 'pending',
    nextAttemptAt: new Date(clock.nowMs() + 3_600_000),
    quietUntil: null,
    leavesHealth: false,
  };
}

function save(ended: readonly EndedAttempt[], limit: number) {
  const pull = { now: new Date(clock.nowMs()), perSecond: 20, limit, maxUnscheduled: 12 };
  return saveAttempts(own.as('worker').pool, ended, pull);
}

function lease(ids: readonly bigint[], attempts: number) {
  return own.database.pool.query(
    `update deliveries set attempts = $2, leased_until = now() + interval '1 hour' where id = any($1::bigint[])`,
    [ids, attempts],
  );
}

test('attempts that are saved twice are logged once', async () => {
  await write(first(), 'expired');
  const [{ id }] = (await deliveries(first())) as [DeliveryRow];
  await lease([id], 1);
  const ended = [endedAttempt(id, 1, false)];
  await save(ended, 10);
  await save(ended, 10);
  const { rows } = await own.database.pool.query('select number from attempts where delivery_id = $1', [id]);
  expect(rows).toEqual([{ number: 1 }]);
});

test('an attempt whose lease was lost does not decide while another worker makes the next one, unless it delivered', async () => {
  await write(first(), 'expired');
  const [{ id }] = (await deliveries(first())) as [DeliveryRow];
  const isLeased = async () => {
    const statement = 'select leased_until > now() as leased from deliveries where id = $1';
    return (await own.database.pool.query<{ leased: boolean }>(statement, [id])).rows[0]?.leased;
  };
  // The first worker's lease ran out, and another worker has begun the second attempt.
  await lease([id], 2);
  await save([{ ...endedAttempt(id, 1, false), state: 'failed' }], 10);
  expect(await deliveries(first())).toMatchObject([{ state: 'pending', attempts: 2 }]);
  expect(await isLeased()).toBe(true);
  await save([endedAttempt(id, 1, true)], 10);
  expect(await deliveries(first())).toMatchObject([{ state: 'delivered', attempts: 2 }]);
});

test('more retries than one pull takes are brought forward by the successes that follow', async () => {
  await write(first(), ...Array.from({ length: 5 }, () => 'expired' as const));
  const rows = await deliveries(first());
  const ids = rows.map(({ id }) => id);
  await lease(ids, 1);
  await save(
    ids.map((id) => endedAttempt(id, 1, false)),
    2,
  );
  const pulled: number[] = [];
  for (const id of ids.slice(0, 4)) {
    await lease([id], 2);
    const back = await save([endedAttempt(id, 2, true)], 2);
    pulled.push(back[0]?.pulled ?? 0);
  }
  // The first success pulls two; each of these, once delivered, makes room for one more.
  expect(pulled).toEqual([2, 1, 1, 0]);
});
