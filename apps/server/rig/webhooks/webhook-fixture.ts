import type { Ending } from './write-events.ts';
import { openStores, secretsOf, writeEvents } from './write-events.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import { createOutbound } from '../../src/lib/outbound-http.ts';
import type { Template } from '../database/template-database.ts';
import type { TestDatabase } from '../database/test-database.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openTestDatabase } from '../database/test-database.ts';
import type { Receiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';
import type { Dispatching } from './run-dispatcher-until.ts';
import { runDispatcherUntil } from './run-dispatcher-until.ts';

/** Stores, a receiver and the dispatcher in one process, on a clock that only the test moves. */

export type WebhookFixture = TestDatabase & {
  stores: TestStore[];
  receiver: Receiver;
  clock: ManualClock;
  outbound: Outbound;
  close(): Promise<void>;
};

export async function openWebhookFixture(template: Template, storeCount = 1): Promise<WebhookFixture> {
  const own = await openTestDatabase(template, 8);
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

export function storeOf(fixture: WebhookFixture, index = 0): TestStore {
  const store = fixture.stores[index];
  if (!store) throw new Error('The fixture has no such store.');
  return store;
}

/** The store's callback URL at the fixture's receiver. */
export function urlOf(fixture: WebhookFixture, name: string, store = storeOf(fixture)): string {
  return `${fixture.receiver.url}/${store.id}/${name}`;
}

/** Ends invoices of a store as given; the events of these invoices go to `url`. */
export async function endInvoices(fixture: WebhookFixture, url: string, ...endings: Ending[]): Promise<void> {
  const endpoint = { store: storeOf(fixture), url, path: new URL(url).pathname };
  const wanted = endings.map((ending) => ({ endpoint, ending }));
  await writeEvents(fixture.database, fixture.clock, wanted, new Map());
}

/** Stores a settled transfer for each of these invoices, so that their next change completes them. */
export async function payInvoices(fixture: WebhookFixture, ids: readonly bigint[]): Promise<void> {
  await fixture.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, invoice_id)
     select 'BSC', '0x' || md5(id::text), '0', 'USDT', '0xpayer', '0xshop', 1, 1, '0x', $1, $1, id from unnest($2::bigint[]) id`,
    [new Date(fixture.clock.nowMs()), ids],
  );
}

export async function rowsOf<Row extends object>(
  fixture: WebhookFixture,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await fixture.database.pool.query<Row>(text, values)).rows;
}

/** Runs a dispatcher until `done`, then stops it gracefully. */
export async function dispatchUntil(
  fixture: WebhookFixture,
  done: () => Promise<boolean> | boolean,
  changes: Partial<Pick<Dispatching, 'outbound' | 'mayClaim' | 'rest'>> = {},
): Promise<void> {
  const { clock, outbound } = fixture;
  const { ring } = storeOf(fixture);
  await runDispatcherUntil({ database: fixture.as('worker'), clock, outbound, ring, ...changes }, done);
}

export const nothingPending = (fixture: WebhookFixture) => async () =>
  (await rowsOf(fixture, `select from deliveries where state = 'pending'`)).length === 0;
