import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { Act, PlannedAct } from './act.ts';

/** Actions of test stores, requested by the API and the test page, performed by a worker in order per store. */

/** Whether the action was done, which transactions were made, and why nothing could be done. */
export type ActOutcome = { done: boolean; note?: string; transactions?: readonly string[] };

export type DueAct = { id: bigint; invoiceId: bigint | null; act: Act; tries: number };

export type AskedAct = { id: bigint; act: Act; dueAt: Date };

export async function insertActs(
  tx: Tx,
  storeId: bigint,
  invoiceId: bigint | null,
  plan: readonly PlannedAct[],
  at: Date,
): Promise<AskedAct[]> {
  const { rows } = await sql<AskedAct>`
    insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at)
    select ${storeId}::bigint, ${invoiceId}::bigint, p.act::jsonb, ${at}::timestamptz,
      ${at}::timestamptz + make_interval(secs => p.after_ms / 1000.0)
    from ${unnestRows(plan, 'p', {
      act: ['text', ({ act }) => JSON.stringify(act)],
      after_ms: ['float8', ({ afterMs }) => afterMs],
    })}
    returning id, act, due_at as "dueAt"`.execute(tx);
  return rows;
}

const IS_MENDING = sql`(act->>'kind' = 'confirm' or coalesce(act->'returns' = 'true'::jsonb, false))`;

/** An action without effect, such as a confirmation without a waiting payment. */
const DID_NOTHING = sql`(done_at is not null and outcome->'done' = 'false'::jsonb)`;

/**
 * Counts an invoice's actions up to a limit: those of `isMending` (act.ts), or all others. Repairs without effect are
 * not counted, so that many requests cannot leave a lost payment without remedy.
 */
export async function countActs(
  queries: Queries | Tx,
  invoiceId: bigint,
  { mending, limit }: { mending: boolean; limit: number },
): Promise<number> {
  const { rows } = await sql<{ acts: number }>`
    select count(*)::integer as acts from (
      select from sandbox_acts where invoice_id = ${invoiceId} and ${IS_MENDING} = ${mending}::boolean
        and not (${mending}::boolean and ${DID_NOTHING}) limit ${limit}) a`.execute(queries);
  return rows[0]?.acts ?? 0;
}

/** Whether an invoice has an action, performed or not. */
export async function hasActs(queries: Queries | Tx, invoiceId: bigint): Promise<boolean> {
  const { rows } = await sql`select from sandbox_acts where invoice_id = ${invoiceId} limit 1`.execute(queries);
  return rows.length > 0;
}

export async function countStoreActs(tx: Tx, storeId: bigint, limit: number): Promise<number> {
  const { rows } = await sql<{ acts: number }>`
    select count(*)::integer as acts from (
      select from sandbox_acts where store_id = ${storeId} and done_at is null and invoice_id is null limit ${limit}) a`.execute(
    tx,
  );
  return rows[0]?.acts ?? 0;
}

/** Deletes the end of an outage, because another one replaces it. */
export async function deleteRecoveries(tx: Tx, storeId: bigint): Promise<void> {
  await sql`
    delete from sandbox_acts
    where store_id = ${storeId} and done_at is null and invoice_id is null and act->>'kind' = 'recover'`.execute(tx);
}

/** Deletes all but the newest `kept` repairs without effect, which no limit counts. */
export async function deleteIdleActs(tx: Tx, invoiceId: bigint, kept: number): Promise<void> {
  await sql`
    delete from sandbox_acts where id = any(array(
      select id from sandbox_acts where invoice_id = ${invoiceId} and ${IS_MENDING} and ${DID_NOTHING}
      order by id desc offset ${kept}))`.execute(tx);
}

/** Deletes the oldest actions done before a moment. */
export async function deleteActs(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from sandbox_acts where id = any(array(
      select id from sandbox_acts where done_at < ${before} order by done_at limit ${limit}))
    returning 1`.execute(tx);
  return rows.length;
}

const nextStore = (after: RawBuilder<unknown>) => sql`(
    select store_id from sandbox_acts where done_at is null and store_id > ${after} order by store_id limit 1)`;

/** Stores with due actions after a store, stepping by id so that one with many hides no other. */
export async function findDueStores(
  queries: Queries,
  now: Date,
  { after, limit }: { after: bigint; limit: number },
): Promise<bigint[]> {
  const { rows } = await sql<{ storeId: bigint }>`
    with recursive walk as (
      select ${nextStore(sql`${after}::bigint`)} as store_id
      union all
      select ${nextStore(sql`walk.store_id`)} from walk where walk.store_id is not null
    )
    select store_id as "storeId" from walk where store_id is not null and exists (
      select from sandbox_acts a where a.store_id = walk.store_id and a.done_at is null and a.due_at <= ${now})
    order by store_id limit ${limit}`.execute(queries);
  return rows.map(({ storeId }) => storeId);
}

/** Base of the advisory locks for stores' actions; no other lock uses these numbers. */
const STORE_LOCKS = 0x5a_00_00_00_00_00n;
/** Base of the advisory locks for fault requests. */
const FAULT_LOCKS = 0x5b_00_00_00_00_00n;

/** Locks a store's actions; false when another worker has the lock. */
export async function lockActs(tx: Tx, storeId: bigint): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${STORE_LOCKS + storeId}::bigint) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

/** Locks a store's fault requests, so that they are counted one by one. */
export async function lockFaults(tx: Tx, storeId: bigint): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FAULT_LOCKS + storeId}::bigint)`.execute(tx);
}

export async function readDueAct(tx: Tx, storeId: bigint, now: Date): Promise<DueAct | undefined> {
  const { rows } = await sql<DueAct>`
    select id, invoice_id as "invoiceId", act, tries from sandbox_acts
    where store_id = ${storeId} and done_at is null and due_at <= ${now} order by id limit 1`.execute(tx);
  return rows[0];
}

/** Counts an attempt of an action that stays due. */
export async function countTry(tx: Tx, id: bigint): Promise<void> {
  await sql`update sandbox_acts set tries = tries + 1 where id = ${id} and done_at is null`.execute(tx);
}

export async function saveOutcome(tx: Tx, id: bigint, outcome: ActOutcome, at: Date): Promise<void> {
  await sql`
    update sandbox_acts set done_at = ${at}, outcome = ${JSON.stringify(outcome)}::jsonb
    where id = ${id} and done_at is null`.execute(tx);
}

export type KnownAct = { id: bigint; act: Act; dueAt: Date; doneAt: Date | null; outcome: ActOutcome | null };

export async function readActs(queries: Queries, ids: readonly bigint[]): Promise<KnownAct[]> {
  const { rows } = await sql<KnownAct>`
    select id, act, due_at as "dueAt", done_at as "doneAt", outcome from sandbox_acts
    where id = any(${ids}::bigint[]) order by id`.execute(queries);
  return rows;
}

/** An invoice's newest actions, in the order of their requests. */
export async function listActs(queries: Queries, invoiceId: bigint, limit: number): Promise<KnownAct[]> {
  const { rows } = await sql<KnownAct>`
    select id, act, due_at as "dueAt", done_at as "doneAt", outcome from sandbox_acts
    where invoice_id = ${invoiceId} order by id desc limit ${limit}`.execute(queries);
  return rows.toReversed();
}
