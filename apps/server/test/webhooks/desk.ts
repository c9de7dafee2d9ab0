import { pino } from 'pino';
import { inject } from 'vitest';
import type { Ending } from '../../drills/webhooks-events.ts';
import { openStores, secretsOf, writeEvents } from '../../drills/webhooks-events.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import { createOutbound } from '../../src/lib/outbound-http.ts';
import { createSecretsOf } from '../../src/stores/webhook-secret-cache.ts';
import { dispatchDeliveries } from '../../src/webhooks/dispatch-deliveries.ts';
import type { TestDatabase, TestStore } from '../harness.ts';
import { openTestDatabase } from '../harness.ts';
import type { Receiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';

/** Stores, a receiver and the dispatcher in one process, on a clock that only a test moves. */

export type Desk = TestDatabase & {
  stores: TestStore[];
  receiver: Receiver;
  clock: ManualClock;
  outbound: Outbound;
  close(): Promise<void>;
};

export async function openDesk(storeCount = 1): Promise<Desk> {
  const own = await openTestDatabase(inject('adminUrl'), inject('template'), 8);
  const clock = createManualClock(systemClock.nowMs());
  const stores = await openStores(own.database, storeCount);
  const receiver = await startReceiver(() => systemClock.nowMs());
  for (const [store, secret] of Object.entries(secretsOf(stores))) receiver.secrets.set(store, secret);
  const outbound = createOutbound({ allowPrivate: true });
  const close = async () => {
    await outbound.close();
    await receiver.close();
    await own.drop();
  };
  return { ...own, stores, receiver, clock, outbound, close };
}

export function storeOf(desk: Desk, index = 0): TestStore {
  const store = desk.stores[index];
  if (!store) throw new Error('The desk has no such store.');
  return store;
}

/** An address of the store at the desk's receiver. */
export function urlOf(desk: Desk, name: string, store = storeOf(desk)): string {
  return `${desk.receiver.url}/${store.id}/${name}`;
}

/** Invoices of a store that end as told; their events go to `url`. */
export async function endInvoices(desk: Desk, url: string, ...endings: Ending[]): Promise<void> {
  const endpoint = { store: storeOf(desk), url, path: new URL(url).pathname };
  const wanted = endings.map((ending) => ({ endpoint, ending }));
  await writeEvents(desk.database, desk.clock, wanted, new Map());
}

/** A settled transfer for each of these invoices; whoever changes them next completes them. */
export async function payInvoices(desk: Desk, ids: readonly bigint[]): Promise<void> {
  await desk.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, invoice_id)
     select 'BSC', '0x' || md5(id::text), '0', 'USDT', '0xpayer', '0xshop', 1, 1, '0x', $1, $1, id from unnest($2::bigint[]) id`,
    [new Date(desk.clock.nowMs()), ids],
  );
}

export async function rowsOf<Row extends object>(desk: Desk, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await desk.database.pool.query<Row>(text, values)).rows;
}

/** Runs a dispatcher until `done`, then stops it in order. */
export async function dispatchUntil(
  desk: Desk,
  done: () => Promise<boolean> | boolean,
  outbound = desk.outbound,
): Promise<void> {
  const stop = new AbortController();
  const running = dispatchDeliveries({
    pool: desk.as('worker').pool,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    clock: desk.clock,
    outbound,
    secretsOf: createSecretsOf(desk.as('worker'), desk.clock, storeOf(desk).ring),
    failpoint: () => {},
    random: () => 0.5,
  });
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await running;
}

export const nothingPending = (desk: Desk) => async () =>
  (await rowsOf(desk, `select from deliveries where state = 'pending'`)).length === 0;
