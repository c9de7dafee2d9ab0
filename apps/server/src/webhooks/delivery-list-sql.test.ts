import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { systemClock } from '../lib/clock.ts';
import { listDeliveries } from './delivery-list-sql.ts';

const HOUR_MS = 3_600_000;

let own: TestDatabase;
const stores: TestStore[] = [];
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  for (let count = 0; count < 2; count += 1) stores.push(await openStore(own.database, { wallet: false }));
});
afterAll(() => own.drop());
beforeEach(() => own.database.pool.query('delete from deliveries'));

const storeAt = (place: number) => stores[place]?.id ?? 0n;

/** Writes an event of a store with its delivery, so many hours ago; returns the delivery's number. */
async function deliver(place: number, hoursAgo = 0): Promise<bigint> {
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `with event as (
       insert into events (event_id, store_id, sequence, type, created_at)
       values (gen_random_uuid()::text, $1, 1, 'webhook.test', now() - make_interval(hours => $2))
       returning id, store_id, created_at),
     endpoint as (
       insert into endpoints (store_id, url, host) values ($1, 'https://shop.example/' || gen_random_uuid(), 'shop.example')
       returning id)
     insert into deliveries (event_row_id, endpoint_id, store_id, sequence, host, next_attempt_at, created_at)
     select e.id, p.id, e.store_id, 1, 'shop.example', now(), e.created_at from event e, endpoint p returning id`,
    [storeAt(place), hoursAgo],
  );
  return rows[0]?.id ?? 0n;
}

const list = (looked: number, before?: bigint, from?: Date) =>
  listDeliveries(
    own.database.queries,
    stores.map(({ id }) => id),
    { from },
    { before, looked, limit: looked },
  );

test('a delivery is shown with the latest of its attempts', async () => {
  const id = await deliver(0);
  await own.database.pool.query(
    `insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
     select now() - make_interval(mins => ago), $1, number, 12, status, '{}'
     from (values (1, 2, 204), (2, 2, 502), (0, 1, 501)) as made (ago, number, status)`,
    [id],
  );
  expect((await list(10)).deliveries).toMatchObject([{ id, lastStatus: 204 }]);
});

test('pages show every delivery of all stores once, the newest first', async () => {
  const made = [];
  for (const place of [0, 1, 0, 1, 1, 0, 0]) made.push(await deliver(place));
  const shown = [];
  for (let before: bigint | undefined, pages = 0; pages < made.length; pages += 1) {
    const { deliveries, lookedTo } = await list(4, before);
    shown.push(...deliveries.map(({ id }) => id));
    if (lookedTo === null) break;
    before = lookedTo;
  }
  expect(shown).toEqual(made.toReversed());
});

test('a list from a moment on ends there, however many older deliveries there are', async () => {
  for (let count = 0; count < 8; count += 1) await deliver(0, 5);
  const id = await deliver(0);
  const { deliveries, lookedTo } = await list(6, undefined, new Date(systemClock.nowMs() - HOUR_MS));
  expect(deliveries).toMatchObject([{ id }]);
  expect(lookedTo).toBeNull();
});
