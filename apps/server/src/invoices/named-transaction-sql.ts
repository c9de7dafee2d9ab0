import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { NamedOutcome, NamedQuote, Namer } from './named-transaction.ts';

/** Requests to read submitted transactions, one per invoice and transaction. */

export type NewRequest = {
  invoiceId: bigint;
  storeId: bigint;
  network: string;
  txId: string;
  /** Whether readers record the transaction anyway, so that it is stored only as the customer's claim. */
  isRead?: boolean;
};

type RequestLimits = { ofInvoice: number; waitingOfStore: number };

export async function insertBoundedRequest(
  queries: Queries | Tx,
  namedBy: Namer,
  { invoiceId, storeId, network, txId, isRead = false }: NewRequest,
  limits: RequestLimits,
): Promise<boolean> {
  const { rows } = await sql`
    insert into named_transactions (invoice_id, network, tx_id, store_id, named_by, ended_at, outcome)
    select ${invoiceId}, ${network}, ${txId}, ${storeId}, ${namedBy},
      case when ${isRead}::boolean then clock_timestamp() end, case when ${isRead}::boolean then 'known' end
    where (select count(*) from (select from named_transactions where invoice_id = ${invoiceId} limit ${limits.ofInvoice}) n)
        < ${limits.ofInvoice}
      and (select count(*) from (select from named_transactions where store_id = ${storeId} and ended_at is null
        limit ${limits.waitingOfStore}) n) < ${limits.waitingOfStore}
    on conflict do nothing
    returning invoice_id`.execute(queries);
  return rows.length > 0;
}

/** Inserts or renews a request, even if it has ended. */
export async function renewRequest(
  tx: Tx,
  namedBy: Namer,
  { invoiceId, storeId, network, txId }: NewRequest,
): Promise<void> {
  await sql`
    insert into named_transactions as n (invoice_id, network, tx_id, store_id, named_by)
    values (${invoiceId}, ${network}, ${txId}, ${storeId}, ${namedBy})
    on conflict (invoice_id, network, tx_id) do update set named_by = excluded.named_by, named_at = excluded.named_at, tries = 0,
      next_try_at = excluded.next_try_at, ended_at = null, outcome = null`.execute(tx);
}

export type NamedRequest = {
  invoiceId: bigint;
  txId: string;
  namedBy: Namer;
  tries: number;
  /** Whether the block is above some tier's coverage, so that no provider is asked yet. */
  waits: boolean;
};

const MAX_REST_SECONDS = 600;
/** The pause between attempts is longest after this many doublings. */
const MAX_DOUBLINGS = 10;
/** Seconds until coverage is checked again. */
const WAIT_SECONDS = 5;

/** Claims due requests; unfinished ones become due again later. */
export async function claimRequests(
  queries: Queries,
  network: string,
  covered: number,
  limit: number,
): Promise<NamedRequest[]> {
  const { rows } = await sql<NamedRequest>`
    update named_transactions n set tries = n.tries + case when due.waits then 0 else 1 end,
      next_try_at = clock_timestamp() + make_interval(secs => case when due.waits then ${WAIT_SECONDS}
        else least(${MAX_REST_SECONDS}, 2 ^ least(n.tries + 1, ${MAX_DOUBLINGS})) end)
    from (
      select invoice_id, tx_id, coalesce(height > ${covered}::bigint, false) as waits from named_transactions
      where network = ${network} and ended_at is null and next_try_at <= clock_timestamp()
      order by next_try_at limit ${limit} for update skip locked
    ) due
    where n.invoice_id = due.invoice_id and n.network = ${network} and n.tx_id = due.tx_id
    returning n.invoice_id as "invoiceId", n.tx_id as "txId", n.named_by as "namedBy", n.tries, due.waits`.execute(
    queries,
  );
  return rows;
}

type RequestKey = { invoiceId: bigint; network: string; txId: string };

/** The transaction is read once every tier is covered up to this height. */
export async function noteHeight(
  queries: Queries,
  { invoiceId, network, txId }: RequestKey,
  height: number,
): Promise<void> {
  await sql`
    update named_transactions set height = ${height}::bigint, tries = 0, next_try_at = clock_timestamp()
    where invoice_id = ${invoiceId} and network = ${network} and tx_id = ${txId}`.execute(queries);
}

export async function endRequest(
  queries: Queries | Tx,
  { invoiceId, network, txId }: RequestKey,
  outcome: NamedOutcome,
): Promise<void> {
  await sql`
    update named_transactions set ended_at = clock_timestamp(), outcome = ${outcome}
    where invoice_id = ${invoiceId} and network = ${network} and tx_id = ${txId} and ended_at is null`.execute(queries);
}

export async function readNamedQuotes(queries: Queries, invoiceId: bigint, network: string): Promise<NamedQuote[]> {
  const { rows } = await sql<NamedQuote>`
    select id, token, to_address as "toAddress", display_units as "displayUnits", extract(epoch from held_from)::float8 as "heldFrom",
      case when held_to < 'infinity' then extract(epoch from held_to)::float8 end as "heldTo"
    from quotes where invoice_id = ${invoiceId} and network = ${network} order by id`.execute(queries);
  return rows;
}

type NameableInvoice = { invoiceId: bigint; storeId: bigint; networks: string[] };

export async function findNameable(queries: Queries, transId: string): Promise<NameableInvoice | undefined> {
  const { rows } = await sql<NameableInvoice>`
    select i.id as "invoiceId", i.store_id as "storeId",
      array(select distinct q.network from quotes q where q.invoice_id = i.id) as networks
    from invoices i where i.trans_id = ${transId}`.execute(queries);
  return rows[0];
}

type RequestRow = {
  network: string;
  txId: string;
  namedBy: Namer;
  namedAt: Date;
  tries: number;
  outcome: NamedOutcome | null;
};

export async function listRequests(queries: Queries, invoiceId: bigint): Promise<RequestRow[]> {
  const { rows } = await sql<RequestRow>`
    select network, tx_id as "txId", named_by as "namedBy", named_at as "namedAt", tries, outcome
    from named_transactions where invoice_id = ${invoiceId} order by named_at`.execute(queries);
  return rows;
}
