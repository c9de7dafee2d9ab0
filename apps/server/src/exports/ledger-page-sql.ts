import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { ExportFilter } from './export.ts';

/** The ledger of one store in order, by page. */

export type LedgerRow = {
  id: bigint;
  matches: boolean;
  at: Date;
  kind: string;
  fromAccount: string;
  toAccount: string;
  microUsd: bigint;
  note: string | null;
  transId: string | null;
  requestId: string | null;
  currency: string | null;
  currencyAmount: string | null;
};

type LedgerPage = { storeId: bigint; after: bigint; filter: ExportFilter; limit: number };

export async function readLedgerPage(
  queries: Queries,
  { storeId, after, filter: { fromAt, toAt }, limit }: LedgerPage,
): Promise<LedgerRow[]> {
  // A top-up's invoice belongs to another store, whose codes are not this merchant's.
  const { rows } = await sql<LedgerRow>`
    with page as materialized (
      select e.id, e.at, e.kind, e.from_account, e.to_account, e.micro_usd, e.note, e.invoice_id, e.store_id,
        e.at < ${toAt} and e.at >= coalesce(${fromAt}::timestamptz, '-infinity') as matches
      from ledger_entries e where e.store_id = ${storeId} and e.id > ${after} order by e.id limit ${sql.lit(limit)})
    select p.id, p.matches, p.at, p.kind, p.from_account as "fromAccount", p.to_account as "toAccount",
      p.micro_usd as "microUsd", p.note, i.trans_id as "transId", i.request_id as "requestId",
      i.currency, i.currency_amount as "currencyAmount"
    from page p left join invoices i on p.matches and i.id = p.invoice_id and i.store_id = p.store_id
    order by p.id`.execute(queries);
  return rows;
}

/** A part of the ledger before a moment, and its last entry; undefined after the last part. */
type LedgerPart = { last: bigint; availableMicroUsd: bigint; heldMicroUsd: bigint };

const MOVED = (account: string) => sql`coalesce(sum(case when e.at >= e.before then 0
  when e.to_account = ${sql.lit(account)} then e.micro_usd
  when e.from_account = ${sql.lit(account)} then -e.micro_usd else 0 end), 0)::bigint`;

export async function sumLedgerPart(
  queries: Queries,
  { storeId, after, before, limit }: { storeId: bigint; after: bigint; before: Date; limit: number },
): Promise<LedgerPart | undefined> {
  const { rows } = await sql<LedgerPart | { last: null }>`
    select max(e.id) as last, ${MOVED('available')} as "availableMicroUsd", ${MOVED('held')} as "heldMicroUsd"
    from (select l.id, l.at, l.from_account, l.to_account, l.micro_usd, ${before}::timestamptz as before from ledger_entries l
      where l.store_id = ${storeId} and l.id > ${after} order by l.id limit ${sql.lit(limit)}) e`.execute(queries);
  const [part] = rows;
  return part && part.last !== null ? part : undefined;
}
