import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { InvoiceStatus } from './invoice.ts';
import type { InvoiceRow } from './invoice-sql.ts';
import { SHOWN_COLUMNS } from './invoice-sql.ts';

/** Invoices of one store, as its API key lists them. */

/** `position` is when it ended, in microseconds since 1970 and in the order of commits; null while it is open. */
export type ListedRow = InvoiceRow & { id: bigint; position: bigint | null };
export type Place = { position: bigint; id: bigint };
export type EndedStatus = 'completed' | 'expired';

/** As in the indexes of ended invoices. */
const POSITION = sql.raw(
  `coalesce(i.change_position, (extract(epoch from i.ended_at - '1970-01-01 00:00:00+00'::timestamptz) * 1000000)::bigint)`,
);
/** As literals: the planner uses an index of one status only where the text of the statement has the status. */
const OF_STATUS: Record<InvoiceStatus, RawBuilder<unknown>> = {
  waiting: sql`i.status = 'waiting'`,
  processing: sql`i.status = 'processing'`,
  completed: sql`i.status = 'completed'`,
  expired: sql`i.status = 'expired'`,
};

const shown = (slice: RawBuilder<unknown>) => sql<ListedRow>`
  select i.id, i.position, ${sql.raw(SHOWN_COLUMNS)}
  from (${slice}) i left join lateral (select q.* from quotes q where q.id = i.quote_id limit 1) q on true`;

type CreatedSlice = {
  storeId: bigint;
  status: 'waiting' | 'processing' | undefined;
  /** Ids, from the first to before the last. */
  atLeast: bigint;
  below: bigint;
  /** Creation times, likewise. */
  since: Date;
  until: Date;
  limit: number;
};

/** Newest first. */
export async function readCreated(queries: Queries, slice: CreatedSlice): Promise<ListedRow[]> {
  const { storeId, status, atLeast, below, since, until, limit } = slice;
  const { rows } = await shown(sql`
    select i.*, ${POSITION} as position from invoices i
    where i.store_id = ${storeId} and i.id >= ${atLeast} and i.id < ${below}
      and i.created_at >= ${since} and i.created_at < ${until} ${status === undefined ? sql`` : sql`and ${OF_STATUS[status]}`}
    order by i.id desc limit ${limit}`).execute(queries);
  return rows;
}

export async function readOfOrder(queries: Queries, storeId: bigint, requestId: string): Promise<ListedRow[]> {
  const { rows } = await shown(sql`
    select i.*, ${POSITION} as position from invoices i
    where i.store_id = ${storeId} and i.request_id = ${requestId}`).execute(queries);
  return rows;
}

type EndedSlice = {
  storeId: bigint;
  status: EndedStatus;
  atLeast: bigint;
  below: Place;
  limit: number;
};

/** Those that ended last first, from a position to before a place. */
export async function readEnded(queries: Queries, slice: EndedSlice): Promise<ListedRow[]> {
  const { storeId, status, atLeast, below, limit } = slice;
  const { rows } = await shown(sql`
    select i.*, ${POSITION} as position from invoices i
    where i.store_id = ${storeId} and ${OF_STATUS[status]} and ${POSITION} >= ${atLeast}
      and (${POSITION}, i.id) < (${below.position}, ${below.id})
    order by ${POSITION} desc, i.id desc limit ${limit}`).execute(queries);
  return rows;
}

/** In the order in which they ended, from after a place. */
export async function readEndedAfter(
  queries: Queries,
  { storeId, after, limit }: { storeId: bigint; after: Place; limit: number },
): Promise<ListedRow[]> {
  const ofStatus = (status: EndedStatus) => sql`
    (select i.*, ${POSITION} as position from invoices i
    where i.store_id = ${storeId} and ${OF_STATUS[status]} and (${POSITION}, i.id) > (${after.position}, ${after.id})
    order by ${POSITION}, i.id limit ${limit})`;
  const { rows } = await shown(
    sql`select * from (${ofStatus('completed')} union all ${ofStatus('expired')}) e order by position, id limit ${limit}`,
  ).execute(queries);
  return rows;
}

export async function findIdInStore(queries: Queries, storeId: bigint, transId: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where trans_id = ${transId} and store_id = ${storeId}`.execute(queries);
  return rows[0]?.id;
}
