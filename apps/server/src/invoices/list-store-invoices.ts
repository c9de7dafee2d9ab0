import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import type { Queries } from '../db/database.ts';
import { preferIndexOrder } from '../db/ordered-reads.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { InvoiceStatus } from './invoice.ts';
import { findFirstSince } from './invoice-list-sql.ts';
import type { EndedStatus, ListedRow, Place } from './store-invoices-sql.ts';
import { findIdInStore, readCreated, readEnded, readEndedAfter, readOfOrder } from './store-invoices-sql.ts';

/** The last invoice of a page, and its position where the list is one of ended invoices. */
export type ListCursor = { transId: string; position?: bigint };

export type StoreListQuery = { limit: number; after: ListCursor | undefined } & (
  | {
      order: 'newest';
      status: InvoiceStatus | undefined;
      requestId: string | undefined;
      /** Times of creation; of the end, for a status of ended invoices. */
      since: Date | undefined;
      until: Date | undefined;
    }
  | { order: 'changed'; since: Date | undefined }
);

type StoreListInput = StoreListQuery & { store: StoreRef };
type NewestInput = Extract<StoreListInput, { order: 'newest' }>;

type StoreListPage = { rows: ListedRow[]; hasMore: boolean };

const FIRST_ID = 0n;
const LAST_ID = 2n ** 63n - 1n;
const EARLIEST = new Date(0);
const LATEST = new Date(Date.UTC(9999, 0));
/** Invoices get their ids this much later than their times of creation, at most. */
const DISORDER_MS = 60 * SECOND_MS;
const MICROSECONDS = 1_000n;

const positionOf = (at: Date) => BigInt(at.getTime()) * MICROSECONDS;
const shifted = (at: Date, ms: number) => new Date(at.getTime() + ms);
const isEnded = (status: InvoiceStatus | undefined): status is EndedStatus =>
  status === 'completed' || status === 'expired';

async function requireId(queries: Queries, store: StoreRef, { transId }: ListCursor): Promise<bigint> {
  const id = await findIdInStore(queries, store.id, transId);
  if (id === undefined) throw new Refusal('CURSOR_UNKNOWN');
  return id;
}

async function requirePlace(queries: Queries, store: StoreRef, cursor: ListCursor): Promise<Place> {
  if (cursor.position === undefined) throw new Refusal('CURSOR_UNKNOWN');
  return { position: cursor.position, id: await requireId(queries, store, cursor) };
}

/** Turns times into ids, so that a page reads no invoice outside of them however many there are. */
async function readNewest(queries: Queries, input: NewestInput, limit: number): Promise<ListedRow[]> {
  const { store, status, since, until, after } = input;
  const firstOf = async (at: Date) => (await findFirstSince(queries, [store.id], at)).get(store.id);
  if (isEnded(status)) {
    const end = { position: positionOf(until ?? LATEST), id: FIRST_ID };
    const last = after ? await requirePlace(queries, store, after) : end;
    const below = last.position < end.position ? last : end;
    return readEnded(queries, { storeId: store.id, status, atLeast: positionOf(since ?? EARLIEST), below, limit });
  }
  const last = after ? await requireId(queries, store, after) : LAST_ID;
  const end = until ? ((await firstOf(shifted(until, DISORDER_MS))) ?? LAST_ID) : LAST_ID;
  return readCreated(queries, {
    storeId: store.id,
    status,
    atLeast: (since && (await firstOf(shifted(since, -DISORDER_MS)))) ?? FIRST_ID,
    below: end < last ? end : last,
    since: since ?? EARLIEST,
    until: until ?? LATEST,
    limit,
  });
}

async function readRows(queries: Queries, input: StoreListInput, limit: number): Promise<ListedRow[]> {
  if (input.order === 'newest') return readNewest(queries, input, limit);
  const { store, since, after: cursor } = input;
  const after = cursor
    ? await requirePlace(queries, store, cursor)
    : { position: positionOf(since ?? EARLIEST) - 1n, id: LAST_ID };
  return readEndedAfter(queries, { storeId: store.id, after, limit });
}

/** The invoice of an order, if it fits the other filters. */
async function readOrder(queries: Queries, input: NewestInput, requestId: string): Promise<ListedRow[]> {
  const { store, status, since = EARLIEST, until = LATEST } = input;
  const rows = await readOfOrder(queries, store.id, requestId);
  const isAmong = (row: ListedRow) => {
    const endedAt = row.position === null ? undefined : new Date(Number(row.position / MICROSECONDS));
    const at = (isEnded(status) && endedAt) || row.created_at;
    return (status === undefined || row.status === status) && at >= since && at < until;
  };
  return input.after ? [] : rows.filter(isAmong);
}

/** Lists the invoices of a store: newest first, or those that ended, in the order in which they did. */
export async function listStoreInvoices(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  input: StoreListInput,
): Promise<StoreListPage> {
  const { limit } = input;
  if (input.order === 'newest' && input.requestId !== undefined)
    return { rows: await readOrder(database.queries, input, input.requestId), hasMore: false };
  const rows = await inTransaction(database, (tx) => preferIndexOrder(tx, () => readRows(tx, input, limit + 1)));
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
