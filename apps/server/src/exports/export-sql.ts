import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { HAS_ACCESS } from '../people/membership-sql.ts';
import type { ExportFault, ExportFilter, ExportKind, ExportScope, Exporter } from './export.ts';
import { MOST_BYTES, MOST_KEPT, MOST_KEPT_BYTES, MOST_OPEN } from './export.ts';

type NewExport = ExportScope &
  ExportFilter & { code: string; personId: bigint; requestedBy: string; kind: ExportKind; createdAt: Date };

/** Bytes of a merchant's files; one in progress counts as the largest possible. */
const RESERVED_BYTES = sql`coalesce(sum(case k.state when 'done' then k.bytes else ${sql.lit(MOST_BYTES)} end), 0)`;

/** Inserts an export in a free slot; undefined at a limit, or when another request took the slot first. */
export async function insertExport(tx: Tx, one: NewExport): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`
    insert into exports (code, merchant_account_id, person_id, requested_by, kind, store_ids, whole_merchant, from_at, to_at, status, slot, created_at)
    select ${one.code}, ${one.merchantAccountId}, ${one.personId}, ${one.requestedBy}, ${one.kind}, ${one.storeIds}::bigint[], ${one.wholeMerchant},
      ${one.fromAt}, ${one.toAt}, ${one.status}, s.slot, ${one.createdAt}
    from generate_series(1, ${sql.lit(MOST_OPEN)}) as s (slot)
    where not exists (select from exports o
        where o.merchant_account_id = ${one.merchantAccountId} and o.slot = s.slot and o.state in ('queued', 'running'))
      and (select count(*) < ${sql.lit(MOST_KEPT)} and ${RESERVED_BYTES} + ${sql.lit(MOST_BYTES)} <= ${sql.lit(MOST_KEPT_BYTES)}
        from exports k where k.merchant_account_id = ${one.merchantAccountId} and k.state in ('queued', 'running', 'done'))
    order by s.slot limit 1
    on conflict (merchant_account_id, slot) where state in ('queued', 'running') do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

type Counted = { open: bigint; kept: bigint; isFull: boolean };

/** A merchant's exports in progress, all that count, and whether there is room for another. */
export async function countExports(tx: Tx, merchantAccountId: bigint): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select count(*) filter (where k.state in ('queued', 'running')) as open, count(*) as kept,
      ${RESERVED_BYTES} + ${sql.lit(MOST_BYTES)} > ${sql.lit(MOST_KEPT_BYTES)} as "isFull"
    from exports k where k.merchant_account_id = ${merchantAccountId} and k.state in ('queued', 'running', 'done')`.execute(
    tx,
  );
  return rows[0] ?? { open: 0n, kept: 0n, isFull: false };
}

export type BegunExport = ExportScope &
  ExportFilter & { id: bigint; tries: number; kind: ExportKind; personId: bigint };

/** Begins an attempt; undefined when the export is over. Chunks of earlier attempts can no longer be added. */
export async function beginExport(queries: Queries, id: bigint): Promise<BegunExport | undefined> {
  const { rows } = await sql<BegunExport>`
    update exports set state = 'running', tries = tries + 1, has_chunks = true
    where id = ${id} and state in ('queued', 'running')
    returning id, tries, kind, person_id as "personId", merchant_account_id as "merchantAccountId", store_ids as "storeIds",
      whole_merchant as "wholeMerchant", from_at as "fromAt", to_at as "toAt", status`.execute(queries);
  return rows[0];
}

/** What the requester may see now. */
export async function findExporter(queries: Queries, { personId, merchantAccountId }: BegunExport): Promise<Exporter> {
  const { rows } = await sql<NonNullable<Exporter>>`
    select m.role, m.all_stores as "allStores", array(select s.store_id from membership_stores s
      where s.merchant_account_id = m.merchant_account_id and s.person_id = m.person_id) as "storeIds"
    from memberships m join people p on p.id = m.person_id and p.disabled_at is null
    where m.merchant_account_id = ${merchantAccountId} and m.person_id = ${personId} and ${HAS_ACCESS}`.execute(
    queries,
  );
  return rows[0];
}

export type ExportedStore = { id: bigint; merchantId: string; live: boolean };

export async function listExportedStores(queries: Queries, storeIds: readonly bigint[]): Promise<ExportedStore[]> {
  const { rows } = await sql<ExportedStore>`
    select id, merchant_id as "merchantId", live from stores where id = any(${storeIds}::bigint[]) order by id`.execute(
    queries,
  );
  return rows;
}

export async function readMerchantCode(queries: Queries, merchantAccountId: bigint): Promise<string> {
  const { rows } = await sql<{ code: string }>`select code from merchants where id = ${merchantAccountId}`.execute(
    queries,
  );
  return rows[0]?.code ?? '';
}

type Chunk = { number: number; bytes: Buffer };

/** Adds a chunk; false when another attempt has begun, or the export is over. */
export async function insertChunk(
  queries: Queries,
  { id, tries }: BegunExport,
  { number, bytes }: Chunk,
): Promise<boolean> {
  const { rows } = await sql`
    insert into export_chunks (export_id, number, bytes)
    select e.id, ${number}::integer, ${bytes}::bytea from exports e
    where e.id = ${id} and e.tries = ${tries} and e.state = 'running' returning 1`.execute(queries);
  return rows.length > 0;
}

export async function deleteChunks(queries: Queries, id: bigint, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from export_chunks where export_id = ${id} and number in (
      select c.number from export_chunks c where c.export_id = ${id} order by c.number limit ${limit})
    returning 1`.execute(queries);
  return rows.length;
}

type MadeFile = Pick<ExportScope, 'storeIds' | 'wholeMerchant'> & {
  rows: number;
  bytes: number;
  sha256: Buffer;
  at: Date;
  expiresAt: Date;
};

/** Completes an export; false when another attempt has begun. */
export async function finishExport(queries: Queries, { id, tries }: BegunExport, file: MadeFile): Promise<boolean> {
  const { rows } = await sql`
    update exports set state = 'done', rows = ${file.rows}, bytes = ${file.bytes}, sha256 = ${file.sha256},
      store_ids = ${file.storeIds}::bigint[], whole_merchant = ${file.wholeMerchant}, done_at = ${file.at}, expires_at = ${file.expiresAt}
    where id = ${id} and tries = ${tries} and state = 'running' returning 1`.execute(queries);
  return rows.length > 0;
}

export async function failExport(queries: Queries | Tx, id: bigint, fault: ExportFault, at: Date): Promise<void> {
  await sql`
    update exports set state = 'failed', fault = ${fault}, done_at = ${at}
    where id = ${id} and state in ('queued', 'running')`.execute(queries);
}
