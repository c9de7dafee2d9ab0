import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { ChainPosition, ReadingFault, UnreadableTransaction } from '../sources/account-source.ts';

/** Transactions listed for a followed account that no provider lets us read. Stored, to outlast the process. */

const FIRST_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 600;
const MAX_DOUBLINGS = 10;
const MAX_REASON_CHARACTERS = 500;
/** Most faults pass before this many attempts. An unknown transaction version raises the alarm immediately. */
const ALARM_TRIES = 6;

const nextTry = (tries: ReturnType<typeof sql>) =>
  sql`clock_timestamp() + make_interval(secs => least(${MAX_RETRY_SECONDS}, ${FIRST_RETRY_SECONDS} * 2 ^ least(${tries}, ${MAX_DOUBLINGS})))`;

export async function insertUnreadable(
  tx: Tx,
  network: string,
  account: string,
  found: readonly UnreadableTransaction[],
): Promise<void> {
  for (const { txId, height, below, fault, reason } of found) {
    await sql`
      insert into unreadable_transactions (network, account, tx_id, height, below_time, fault, reason, next_try_at)
      values (${network}, ${account}, ${txId}, ${height}::bigint, ${dateFromUnix(below.time)}, ${fault},
        ${reason.slice(0, MAX_REASON_CHARACTERS)}, ${nextTry(sql`0`)})
      on conflict (network, account, tx_id) do nothing`.execute(tx);
  }
}

export type UnreadableRow = { txId: string; height: number; fault: ReadingFault['fault']; reason: string };

const UNTOLD = sql`u.alarmed_at is null and u.passed_at is null and (u.fault = 'version' or u.tries >= ${ALARM_TRIES})`;

/** Takes transactions that need an alarm, which then counts for every account and waiting worker. */
export async function takeAlarming(tx: Tx, network: string, account: string, at: Date): Promise<UnreadableRow[]> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('unreadable ' || u.tx_id, 0)) from (
      select u.tx_id from unreadable_transactions u
      where u.network = ${network} and u.account = ${account} and ${UNTOLD} order by u.tx_id) u`.execute(tx);
  const { rows } = await sql<UnreadableRow & { told: boolean }>`
    update unreadable_transactions u set alarmed_at = ${at}
    where u.network = ${network} and u.account = ${account} and ${UNTOLD}
    returning u.tx_id as "txId", u.height::float8 as height, u.fault, u.reason, exists (
      select from unreadable_transactions o where o.network = u.network and o.tx_id = u.tx_id and o.account <> u.account
        and o.alarmed_at is not null) as told`.execute(tx);
  return rows.filter(({ told }) => !told);
}

export async function readDueUnreadable(
  queries: Queries,
  network: string,
  account: string,
  limit: number,
): Promise<UnreadableRow[]> {
  const { rows } = await sql<UnreadableRow>`
    select tx_id as "txId", height::float8 as height, fault, reason from unreadable_transactions
    where network = ${network} and account = ${account} and passed_at is null and next_try_at <= clock_timestamp()
    order by height limit ${limit}`.execute(queries);
  return rows;
}

export async function postponeUnreadable(
  tx: Tx,
  network: string,
  account: string,
  txId: string,
  { fault, reason }: ReadingFault,
): Promise<void> {
  await sql`
    update unreadable_transactions set fault = ${fault}, reason = ${reason.slice(0, MAX_REASON_CHARACTERS)},
      tries = tries + 1, next_try_at = ${nextTry(sql`tries`)}
    where network = ${network} and account = ${account} and tx_id = ${txId}`.execute(tx);
}

export async function deleteUnreadable(tx: Tx, network: string, account: string, txId: string): Promise<void> {
  await sql`
    delete from unreadable_transactions
    where network = ${network} and account = ${account} and tx_id = ${txId} and passed_at is null`.execute(tx);
}

/** Marks a transaction as passed by and makes its account due. False when it does not exist. */
export async function markPassed(tx: Tx, network: string, account: string, txId: string, at: Date): Promise<boolean> {
  // Lock order: the followed account first, as its readers do.
  await sql`
    update followed_accounts set next_read_at = least(next_read_at, now())
    where network = ${network} and account = ${account} and state <> 'idle'`.execute(tx);
  const { rows } = await sql`
    update unreadable_transactions set passed_at = ${at}
    where network = ${network} and account = ${account} and tx_id = ${txId} and passed_at is null
    returning tx_id`.execute(tx);
  return rows.length > 0;
}

type ListedUnreadable = UnreadableRow & {
  network: string;
  account: string;
  seenAt: Date;
  tries: number;
};

/** Unreadable transactions that block coverage, oldest first. */
export async function listUnreadable(queries: Queries, limit: number): Promise<ListedUnreadable[]> {
  const { rows } = await sql<ListedUnreadable>`
    select network, account, tx_id as "txId", height::float8 as height, fault, reason, seen_at as "seenAt", tries
    from unreadable_transactions where passed_at is null order by seen_at limit ${limit}`.execute(queries);
  return rows;
}

export async function readUnread(queries: Queries, network: string, account: string): Promise<Set<string>> {
  const { rows } = await sql<{ tx_id: string }>`
    select tx_id from unreadable_transactions where network = ${network} and account = ${account}`.execute(queries);
  return new Set(rows.map((row) => row.tx_id));
}

/** Marks an account that cannot be started; true the first time, for the alarm. */
export async function markUnstartable(tx: Tx, network: string, account: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update followed_accounts set unstartable_at = ${at}
    where network = ${network} and account = ${account} and unstartable_at is null and state = 'starting'
    returning account`.execute(tx);
  return rows.length > 0;
}

/** Coverage ends at the block below the lowest unreadable transaction above a height that was not passed by. */
export async function readCoverLimit(
  tx: Tx,
  network: string,
  account: string,
  above: number,
): Promise<ChainPosition | undefined> {
  const { rows } = await sql<ChainPosition>`
    select (height - 1)::float8 as height, extract(epoch from below_time)::float8 as time from unreadable_transactions
    where network = ${network} and account = ${account} and passed_at is null and height > ${above}::bigint
    order by height limit 1`.execute(tx);
  return rows[0];
}
