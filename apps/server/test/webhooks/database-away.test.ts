import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createSecretsOf } from '../../src/stores/webhook-secret-cache.ts';
import { dispatchDeliveries } from '../../src/webhooks/dispatch-deliveries.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import {
  endInvoices,
  nothingPending,
  openWebhookFixture,
  rowsOf,
  storeOf,
  urlOf,
} from '../../rig/webhooks/webhook-fixture.ts';

/** A dispatcher whose database goes away while a receiver is answering. */

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'));
});
afterAll(() => fixture.close());

/** A pool that cannot connect while `isAway`. */
function poolWhile(pool: pg.Pool, isAway: () => boolean): pg.Pool {
  return new Proxy(pool, {
    get: (target, name) => {
      if (isAway() && (name === 'connect' || name === 'query')) throw new Error('connect ECONNREFUSED');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('an attempt that ends while the database is away is saved when it is back, and not sent again', async () => {
  let away = false;
  const complaints = new Set<string>();
  const log = pino({ level: 'warn' }, { write: (line) => complaints.add((JSON.parse(line) as { msg: string }).msg) });
  fixture.receiver.mood = () => {
    away = true;
    return 'good';
  };
  await endInvoices(fixture, urlOf(fixture, 'away'), 'expired');
  const database = fixture.as('worker');
  const stop = new AbortController();
  const running = dispatchDeliveries({
    pool: poolWhile(database.pool, () => away),
    log,
    signal: stop.signal,
    clock: fixture.clock,
    outbound: fixture.outbound,
    secretsOf: createSecretsOf(database, fixture.clock, storeOf(fixture).ring),
    endpointSecretsOf: () => Promise.resolve(undefined),
    failpoint: () => {},
    random: () => 0.5,
  });
  await expect
    .poll(() => [...complaints].toSorted())
    .toEqual(['attempts could not be saved yet', 'deliveries could not be claimed']);
  fixture.receiver.mood = () => 'good';
  away = false;
  await endInvoices(fixture, urlOf(fixture, 'back'), 'expired');
  await expect.poll(nothingPending(fixture)).toBe(true);
  stop.abort();
  await running;
  const received = fixture.receiver.received.map(({ path }) => path);
  expect(received.toSorted()).toEqual(['away', 'back'].map((name) => new URL(urlOf(fixture, name)).pathname));
  const rows = await rowsOf(
    fixture,
    `select d.state, d.attempts, (select count(*)::integer from attempts a where a.delivery_id = d.id) as logged
     from deliveries d`,
  );
  expect(rows).toEqual([
    { state: 'delivered', attempts: 1, logged: 1 },
    { state: 'delivered', attempts: 1, logged: 1 },
  ]);
});
