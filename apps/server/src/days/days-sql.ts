import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { EDGES_SECONDS, SPANS } from './histogram.ts';
import type { CountedDay } from './store-day.ts';

// Shared by all workers.
const COUNT_LOCK = 790_312;

/** Takes the right to count until the transaction ends; false if another worker has it. */
export async function lockCounting(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{
    mayCount: boolean;
  }>`select pg_try_advisory_xact_lock(${COUNT_LOCK}) as "mayCount"`.execute(tx);
  return rows[0]?.mayCount === true;
}

type CountedRow = { day: string; countedAt: Date; tookMs: number; closed: boolean };

/** The newest counted days up to a day, in order: later ones come from a clock that was ahead. */
export async function readCountedDays(tx: Tx, upTo: string, limit: number): Promise<CountedDay[]> {
  const { rows } = await sql<CountedRow>`
    select day::text as day, counted_at as "countedAt", took_ms as "tookMs", closed_at is not null as closed
    from counted_days where day <= ${upTo}::date order by day desc limit ${limit}`.execute(tx);
  const counted = rows.map(({ day, countedAt, tookMs, closed }) => ({
    day,
    countedAtMs: countedAt.getTime(),
    tookMs,
    closed,
  }));
  return counted.toReversed();
}

export async function saveCountedDay(
  tx: Tx,
  { day, at, tookMs, closes }: { day: string; at: Date; tookMs: number; closes: boolean },
): Promise<void> {
  const closedAt = closes ? at : null;
  await sql`
    insert into counted_days (day, counted_at, took_ms, closed_at) values (${day}::date, ${at}, ${tookMs}, ${closedAt})
    on conflict (day) do update set counted_at = excluded.counted_at, took_ms = excluded.took_ms,
      closed_at = excluded.closed_at`.execute(tx);
}

type InvoicePlace = { id: bigint; at: Date };

export async function findInvoiceFrom(tx: Tx, id: bigint): Promise<InvoicePlace | undefined> {
  const { rows } = await sql<InvoicePlace>`
    select id, created_at as at from invoices where id >= ${id} order by id limit 1`.execute(tx);
  return rows[0];
}

export async function findNewestInvoiceId(tx: Tx): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`select id from invoices order by id desc limit 1`.execute(tx);
  return rows[0]?.id;
}

type Times = { from: Date; to: Date };
type StoreCount = { storeId: bigint; count: number };

/** Invoices created in a period, among ids from `fromId` (inclusive) to `toId` (exclusive). */
export async function countCreated(
  tx: Tx,
  { from, to }: Times,
  { fromId, toId }: { fromId: bigint; toId: bigint },
): Promise<StoreCount[]> {
  const { rows } = await sql<StoreCount>`
    select store_id as "storeId", count(*)::integer as count from invoices
    where id >= ${fromId} and id < ${toId} and created_at >= ${from} and created_at < ${to} group by store_id`.execute(
    tx,
  );
  return rows;
}

type StoreEnds = { storeId: bigint; expired: number; cancelled: number };

/** Invoices that expired or were cancelled in a period, regardless of later changes. */
export async function countExpired(tx: Tx, { from, to }: Times): Promise<StoreEnds[]> {
  const { rows } = await sql<StoreEnds>`
    select store_id as "storeId", (count(*) filter (where cancelled_at is null))::integer as expired,
      (count(*) filter (where cancelled_at is not null))::integer as cancelled
    from (
      select store_id, cancelled_at from invoices where ended_at >= ${from} and ended_at < ${to} and status = 'expired'
      union all
      select store_id, cancelled_at from invoices where expired_at >= ${from} and expired_at < ${to}) e
    group by store_id`.execute(tx);
  return rows;
}

export type Completions = {
  storeId: bigint;
  network: string;
  token: string;
  completed: number;
  late: number;
  volumeUsd: string;
  feeMicroUsd: bigint;
  detectCounts: number[];
  finalCounts: number[];
};

const EDGES = sql`${sql.raw(`array[${EDGES_SECONDS.join(', ')}]::float8[]`)}`;
/** The bucket of a duration; null without one. */
const placeOf = (until: string) =>
  sql`width_bucket(extract(epoch from ${sql.ref(until)} - t.block_time)::float8, ${EDGES})`;
const countsOf = (place: string) =>
  sql.raw(
    `array[${Array.from({ length: SPANS }, (_none, span) => `(count(*) filter (where ${place} = ${span}))::integer`).join(', ')}]`,
  );

/** Invoices completed in a period, by network and token. Durations exclude manually attached payments. */
export async function countCompleted(tx: Tx, { from, to }: Times): Promise<Completions[]> {
  const { rows } = await sql<Completions>`
    select store_id as "storeId", network, token, count(*)::integer as completed, (count(*) filter (where late))::integer as late,
      sum(amount_usd)::text as "volumeUsd", sum(fee_micro_usd)::bigint as "feeMicroUsd",
      ${countsOf('detect_place')} as "detectCounts", ${countsOf('final_place')} as "finalCounts"
    from (
      select i.store_id, coalesce(t.network, '') as network, coalesce(t.token, '') as token, i.late, i.amount_usd, i.fee_micro_usd,
        case when t.attached_by is null then ${placeOf('t.seen_at')} end as detect_place,
        case when t.attached_by is null then ${placeOf('i.ended_at')} end as final_place
      from invoices i left join transfers t on t.id = i.paid_transfer_id
      where i.ended_at >= ${from} and i.ended_at < ${to} and i.status = 'completed') c
    group by store_id, network, token`.execute(tx);
  return rows;
}

/** A store's figures of a day by network and token; both are empty for figures without a payment. */
export type StoreDay = Completions & { created: number; expired: number; cancelled: number };

/** Saves a day's rows, skipping unchanged ones. */
export async function saveStoreDays(tx: Tx, day: string, days: readonly StoreDay[]): Promise<void> {
  const json = JSON.stringify(
    days.map((one) => ({
      store_id: String(one.storeId),
      network: one.network,
      token: one.token,
      created: one.created,
      completed: one.completed,
      expired: one.expired,
      cancelled: one.cancelled,
      late: one.late,
      volume_usd: one.volumeUsd,
      fee_micro_usd: String(one.feeMicroUsd),
      detect_counts: one.detectCounts,
      final_counts: one.finalCounts,
    })),
  );
  await sql`
    insert into store_days as d (store_id, day, network, token, created, completed, expired, cancelled, late,
      volume_usd, fee_micro_usd, detect_counts, final_counts)
    select n.store_id, ${day}::date, n.network, n.token, n.created, n.completed, n.expired, n.cancelled, n.late, n.volume_usd, n.fee_micro_usd,
      n.detect_counts, n.final_counts
    from jsonb_to_recordset(${json}::jsonb) as n (store_id bigint, network text, token text, created integer, completed integer,
      expired integer, cancelled integer, late integer, volume_usd numeric(30, 8), fee_micro_usd bigint, detect_counts integer[], final_counts integer[])
    order by n.store_id, n.network, n.token
    on conflict (store_id, day, network, token) do update set created = excluded.created, completed = excluded.completed,
      expired = excluded.expired, cancelled = excluded.cancelled, late = excluded.late, volume_usd = excluded.volume_usd, fee_micro_usd = excluded.fee_micro_usd,
      detect_counts = excluded.detect_counts, final_counts = excluded.final_counts
    where (d.created, d.completed, d.expired, d.cancelled, d.late, d.volume_usd, d.fee_micro_usd, d.detect_counts, d.final_counts)
      is distinct from (excluded.created, excluded.completed, excluded.expired, excluded.cancelled, excluded.late,
        excluded.volume_usd, excluded.fee_micro_usd, excluded.detect_counts, excluded.final_counts)`.execute(tx);
}

/** The key of a row besides the day. */
export type StoreDayKey = Pick<StoreDay, 'storeId' | 'network' | 'token'>;

export async function listStoreDayKeys(tx: Tx, day: string): Promise<StoreDayKey[]> {
  const { rows } = await sql<StoreDayKey>`
    select store_id as "storeId", network, token from store_days where day = ${day}::date`.execute(tx);
  return rows;
}

export async function deleteStoreDays(tx: Tx, day: string, keys: readonly StoreDayKey[]): Promise<void> {
  await sql`
    delete from store_days d using ${unnestRows(keys, 'k', {
      store_id: ['bigint', ({ storeId }) => storeId],
      network: ['text', ({ network }) => network],
      token: ['text', ({ token }) => token],
    })}
    where d.store_id = k.store_id and d.day = ${day}::date and d.network = k.network and d.token = k.token`.execute(tx);
}

export type ListedDay = {
  day: string;
  network: string;
  token: string;
  created: number;
  completed: number;
  expired: number;
  cancelled: number;
  late: number;
  volumeUsd: string;
  feeMicroUsd: bigint;
};

/** A store's figures of a range of days, inclusive, newest first. */
export async function listStoreDays(
  queries: Queries,
  storeId: bigint,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<ListedDay[]> {
  const { rows } = await sql<ListedDay>`
    select day::text as day, network, token, created, completed, expired, cancelled, late, volume_usd::text as "volumeUsd",
      fee_micro_usd as "feeMicroUsd"
    from store_days where store_id = ${storeId} and day >= ${from}::date and day <= ${to}::date
    order by day desc, network, token limit ${limit}`.execute(queries);
  return rows;
}
