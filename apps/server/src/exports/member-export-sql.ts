import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { ExportFault, ExportKind, ExportState } from './export.ts';

export type ListedExport = {
  id: bigint;
  code: string;
  kind: ExportKind;
  state: ExportState;
  stores: readonly string[];
  wholeMerchant: boolean;
  fromAt: Date | null;
  toAt: Date;
  status: string | null;
  rows: bigint | null;
  bytes: bigint | null;
  sha256: Buffer | null;
  fault: ExportFault | null;
  requestedBy: string;
  createdAt: Date;
  doneAt: Date | null;
  expiresAt: Date | null;
};

/** A member of some stores sees only exports with rows of these stores. */
export type ExportReader = { merchantAccountId: bigint; personId: bigint; allStores: boolean };

const VISIBLE = ({ merchantAccountId, personId, allStores }: ExportReader) => sql`
  e.merchant_account_id = ${merchantAccountId} and (${allStores}::boolean or (not e.whole_merchant and e.store_ids <@ array(
    select s.store_id from membership_stores s where s.merchant_account_id = ${merchantAccountId} and s.person_id = ${personId})))`;

const LISTED = sql`
  e.id, e.code, e.kind, e.state, e.whole_merchant as "wholeMerchant", e.from_at as "fromAt", e.to_at as "toAt", e.status, e.rows,
  e.bytes, e.sha256, e.fault, e.created_at as "createdAt", e.done_at as "doneAt", e.expires_at as "expiresAt",
  e.requested_by as "requestedBy",
  array(select s.merchant_id from stores s where s.id = any(e.store_ids) order by s.id limit 1000) as stores`;

/** A merchant's exports, newest first, after the cursor if given. */
export async function listExports(
  queries: Queries,
  reader: ExportReader,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ListedExport[]> {
  const of = sql`from exports b where b.code = ${before ?? null}::text and b.merchant_account_id = ${reader.merchantAccountId}`;
  // By time: the order by id could be read from the index of all merchants' exports.
  const { rows } = await sql<ListedExport>`
    select ${LISTED} from exports e
    where ${VISIBLE(reader)} and (e.created_at, e.id)
      < (coalesce((select b.created_at ${of}), 'infinity'), coalesce((select b.id ${of}), ${2n ** 62n}))
    order by e.created_at desc, e.id desc limit ${limit}`.execute(queries);
  return rows;
}

export async function findExport(
  queries: Queries,
  reader: ExportReader,
  code: string,
): Promise<ListedExport | undefined> {
  const { rows } = await sql<ListedExport>`
    select ${LISTED} from exports e where e.code = ${code} and ${VISIBLE(reader)}`.execute(queries);
  return rows[0];
}

/** One chunk of a file; undefined after it expired. */
export async function readChunk(
  queries: Queries,
  { id, number, now }: { id: bigint; number: number; now: Date },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer }>`
    select c.bytes from exports e join export_chunks c on c.export_id = e.id
    where e.id = ${id} and e.state = 'done' and e.expires_at > ${now} and c.number = ${number}`.execute(queries);
  return rows[0]?.bytes;
}

/** A member's visible stores, by id. */
export async function listSeenStores(queries: Queries, reader: ExportReader, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select s.id from stores s where s.merchant_account_id = ${reader.merchantAccountId} and (${reader.allStores}::boolean
      or exists (select from membership_stores l where l.merchant_account_id = s.merchant_account_id
        and l.person_id = ${reader.personId} and l.store_id = s.id))
    order by s.id limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}
