import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Test payments, and the accounts that receive them. Heights are unix milliseconds. */

export type Place = { network: string; account: string };

type TestPayment = Place & {
  invoiceId: bigint;
  txId: string;
  token: string;
  from: string;
  units: bigint;
  final: boolean;
  at: Date;
};

/** Takes an account's next height, above every height read there, and signals a change to readers. */
const TAKE_HEIGHT = ({ network, account }: Place, at: Date) => sql`
  insert into sandbox_accounts as a (network, account, height, changes)
  values (${network}, ${account}, ${at.getTime()}::bigint, 1)
  on conflict (network, account) do update set height = greatest(a.height + 1, excluded.height), changes = a.changes + 1
  returning a.height`;

export async function insertTestPayment(tx: Tx, payment: TestPayment): Promise<void> {
  const { network, account, invoiceId, txId, token, from, units, final, at } = payment;
  await sql`
    with place as (${TAKE_HEIGHT(payment, at)})
    insert into sandbox_transfers (network, account, invoice_id, tx_id, token, from_address, units, height, block_hash, paid_at, final)
    select ${network}, ${account}, ${invoiceId}::bigint, ${txId}, ${token}, ${from}, ${units}::numeric, height, 'block-' || height,
      date_trunc('second', ${at}::timestamptz), ${final}
    from place`.execute(tx);
}

/** Makes an invoice's slow payments final; returns their accounts and transactions. */
export async function confirmPayments(tx: Tx, invoiceId: bigint): Promise<(Place & { txId: string })[]> {
  const { rows } = await sql<Place & { txId: string }>`
    update sandbox_transfers set final = true where invoice_id = ${invoiceId} and not final and not gone
    returning network, account, tx_id as "txId"`.execute(tx);
  return rows;
}

type LastPayment = Place & { id: bigint; txId: string; height: number };

/**
 * An invoice's last payment: of those in the chain (`chain`), or of all (`all`) with removed ones first. Otherwise a
 * lost payment before a later one could never be restored.
 */
export async function findLastPayment(
  tx: Tx,
  invoiceId: bigint,
  of: 'chain' | 'all',
): Promise<LastPayment | undefined> {
  const { rows } = await sql<LastPayment>`
    select id, network, account, tx_id as "txId", height::float8 as height from sandbox_transfers
    where invoice_id = ${invoiceId} and (${of === 'all'}::boolean or not gone) order by gone desc, id desc limit 1`.execute(
    tx,
  );
  return rows[0];
}

export async function removePayment(tx: Tx, id: bigint): Promise<void> {
  await sql`update sandbox_transfers set gone = true where id = ${id}`.execute(tx);
}

/** Moves a payment to a new block, restoring a removed one. */
export async function movePayment(tx: Tx, { id, ...place }: LastPayment, at: Date): Promise<void> {
  await sql`
    with place as (${TAKE_HEIGHT(place, at)})
    update sandbox_transfers t set height = p.height, block_hash = 'block-' || p.height, gone = false from place p where t.id = ${id}`.execute(
    tx,
  );
}

/** Signals a change to an account's readers. */
export async function noteChange(tx: Tx, { network, account }: Place): Promise<void> {
  await sql`
    insert into sandbox_accounts as a (network, account, changes) values (${network}, ${account}, 1)
    on conflict (network, account) do update set changes = a.changes + 1`.execute(tx);
}

/** Records the height up to which an account is read. Waits for payments in progress. */
export async function reserveHeights(queries: Queries, { network, account }: Place, upTo: number): Promise<void> {
  await sql`
    insert into sandbox_accounts as a (network, account, height) values (${network}, ${account}, ${upTo}::bigint)
    on conflict (network, account) do update set height = greatest(a.height, excluded.height)`.execute(queries);
}

export type TestTransferRow = {
  txId: string;
  token: string;
  from: string;
  units: string;
  height: number;
  blockHash: string;
  time: number;
  final: boolean;
  gone: boolean;
};

const ROW = sql`tx_id as "txId", token, from_address as "from", units, height::float8 as height, block_hash as "blockHash",
  extract(epoch from paid_at)::float8 as time, final, gone`;

/** Payments in the chain above a height, lowest first. */
export async function readPaymentsAbove(
  queries: Queries,
  { network, account }: Place,
  height: number,
  limit: number,
): Promise<TestTransferRow[]> {
  const { rows } = await sql<TestTransferRow>`
    select ${ROW} from sandbox_transfers
    where network = ${network} and account = ${account} and height > ${height}::bigint and not gone
    order by network, account, height limit ${limit}`.execute(queries);
  return rows;
}

export async function readPaymentsById(
  queries: Queries,
  { network, account }: Place,
  txIds: readonly string[],
): Promise<TestTransferRow[]> {
  const { rows } = await sql<TestTransferRow>`
    select ${ROW} from sandbox_transfers
    where tx_id = any(${txIds}::text[]) and network = ${network} and account = ${account}`.execute(queries);
  return rows;
}

/** Change counts of sandbox accounts. One that was never paid or read has no row. */
export async function readChanges(
  queries: Queries,
  network: string,
  accounts: readonly string[],
): Promise<{ account: string; changes: bigint }[]> {
  const { rows } = await sql<{ account: string; changes: bigint }>`
    select account, changes from sandbox_accounts where network = ${network} and account = any(${accounts}::text[])`.execute(
    queries,
  );
  return rows;
}

/** Whether an account cannot be read now, because its test store requested an outage. */
export async function isOut(queries: Queries, { network, account }: Place, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select from wallets w join test_faults f on f.store_id = w.store_id
    where w.network = ${network} and w.address = ${account} and f.outage_until > ${now}`.execute(queries);
  return rows.length > 0;
}
