import type { Database } from '../../src/db/database.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { createTransId } from '../../src/invoices/invoice.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore } from '../stores/open-store.ts';
import { retryWhileAway } from '../database/retry-while-away.ts';

/** Events as the engine writes them: invoices are inserted by SQL and ended by `change-invoices`. */

export type Endpoint = { store: TestStore; url: string; path: string };

/** How an invoice ends: unpaid, paid, or expired and then found paid, which makes two events. */
export type Ending = 'expired' | 'completed' | 'found-late';

export type Wanted = { endpoint: Endpoint; ending: Ending };

/** When the writer of each event learned that the event was committed, in milliseconds, by invoice and sequence. */
export type Commits = Map<string, number>;

export const commitKey = (transId: string, sequence: number) => `${transId} ${sequence}`;

const SHARD = 'A';
const NETWORK = 'BSC';
const HEIGHT = 1;
const LIFE_MS = 30 * 86_400_000;
/** Text of an invoice, long enough for event bodies of about 900 bytes. */
const DESCRIPTION = 'An order of several things, described at the length that shops use. '.repeat(3).trim();

/** A chain that is covered up to the payments' height, so that the payments count as settled. */
const SETTLED_CHAIN = `
insert into chains (network, height, hash, block_time, head_height, head_time)
  values ('${NETWORK}', ${HEIGHT}, '0x', now(), ${HEIGHT}, now());
insert into chain_coverage (network, tier, height, block_time) values ('${NETWORK}', 'finalized', ${HEIGHT}, now())`;

export async function openStores(database: Database, count: number): Promise<TestStore[]> {
  await database.pool.query(SETTLED_CHAIN);
  const stores: TestStore[] = [];
  for (let index = 0; index < count; index += 1) stores.push(await openStore(database, { wallet: false }));
  return stores;
}

/** Spreads endpoints over stores and hosts: each store is on several hosts and each host has several stores. */
export function spreadEndpoints(stores: readonly TestStore[], urls: readonly string[], count: number): Endpoint[] {
  return Array.from({ length: count }, (_unused, index) => {
    const store = stores[index % stores.length];
    const url = urls[Math.floor(index / stores.length) % urls.length];
    if (!store || url === undefined) throw new Error('There is no store or no host.');
    const path = `/${store.id}/${index}`;
    return { store, url: `${url}${path}`, path };
  });
}

export const secretsOf = (stores: readonly TestStore[]) =>
  Object.fromEntries(stores.map((store) => [String(store.id), store.webhookSecret]));

type Made = Wanted & { transId: string };

async function insertInvoices(database: Database, clock: Clock, made: readonly Made[]): Promise<Map<string, bigint>> {
  const nowMs = clock.nowMs();
  const transIds = made.map((one) => one.transId);
  await database.pool.query(
    `insert into invoices (store_id, trans_id, request_id, amount_usd, name, description, callback_url, created_at, expires_at, fee_micro_usd)
     select store_id, trans_id, 'order-' || trans_id, 50, 'An order', $6, url, $4, $5, 0
     from unnest($1::bigint[], $2::text[], $3::text[]) as i (store_id, trans_id, url)
     on conflict (trans_id) do nothing`,
    [
      made.map((one) => one.endpoint.store.id),
      transIds,
      made.map((one) => one.endpoint.url),
      new Date(nowMs),
      // The end is a month away, so that no worker expires the invoice.
      new Date(nowMs + LIFE_MS),
      DESCRIPTION,
    ],
  );
  const { rows } = await database.pool.query<{ id: bigint; trans_id: string }>(
    'select id, trans_id from invoices where trans_id = any($1::text[])',
    [transIds],
  );
  return new Map(rows.map((row) => [row.trans_id, row.id]));
}

async function pay(database: Database, clock: Clock, ids: readonly bigint[]): Promise<void> {
  await database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, invoice_id)
     select $1, '0x' || md5(id::text), '0', 'USDT', '0xpayer', '0xshop', 1, $2, '0x', $3, $3, id from unnest($4::bigint[]) id
     on conflict do nothing`,
    [NETWORK, HEIGHT, new Date(clock.nowMs()), ids],
  );
}

async function change(database: Database, clock: Clock, ids: readonly bigint[]): Promise<number> {
  await inTransaction(database, (tx) => changeInvoices(tx, new Date(clock.nowMs()), ids, new Set(ids)));
  return systemClock.nowMs();
}

/** Writes the events of these invoices and records when each was committed; returns their number. */
export async function writeEvents(
  database: Database,
  clock: Clock,
  wanted: readonly Wanted[],
  commits: Commits,
): Promise<number> {
  const made = wanted.map((one) => ({ ...one, transId: createTransId(SHARD) }));
  const ids = await retryWhileAway(() => insertInvoices(database, clock, made));
  const idsOf = (endings: readonly Ending[]) =>
    made.filter((one) => endings.includes(one.ending)).flatMap((one) => ids.get(one.transId) ?? []);
  const paid = idsOf(['completed']);
  if (paid.length > 0) await retryWhileAway(() => pay(database, clock, paid));
  const committedAtMs = await retryWhileAway(() => change(database, clock, [...ids.values()]));
  for (const one of made) commits.set(commitKey(one.transId, 1), committedAtMs);
  const late = idsOf(['found-late']);
  if (late.length === 0) return made.length;
  await retryWhileAway(() => pay(database, clock, late));
  const completedAtMs = await retryWhileAway(() => change(database, clock, late));
  for (const one of made) if (one.ending === 'found-late') commits.set(commitKey(one.transId, 2), completedAtMs);
  return made.length + late.length;
}

export type WrittenEvent = { eventId: string; transId: string; sequence: number; url: string };

export async function readEvents(database: Database): Promise<WrittenEvent[]> {
  const { rows } = await database.pool.query<WrittenEvent>(
    `select e.event_id as "eventId", i.trans_id as "transId", e.sequence, i.callback_url as url
     from events e join invoices i on i.id = e.invoice_id`,
  );
  return rows;
}

export async function countPending(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ pending: bigint }>(
    `select count(*) as pending from deliveries where state = 'pending'`,
  );
  return Number(rows[0]?.pending ?? 0);
}
