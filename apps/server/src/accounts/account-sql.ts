import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { ReadEnds } from './account-read-end.ts';
import type { AccountCommitment, AccountHeads, ChainPosition } from '../sources/account-source.ts';

/** The only tier of followed accounts: read twice, the second time as final. */
export const ACCOUNT_TIER: AccountCommitment & 'finalized' = 'finalized';

/** The coverage scope of an address: empty where the network is covered as a whole, otherwise the address. */
export function quoteScope(network: string, address: string): RawBuilder<string> {
  return sql`case when exists (select from chain_coverage where network = ${sql.ref(network)} and scope = '') then ''
    else ${sql.ref(address)} end`;
}

/** Whether a coverage row is the one for an address. */
export function coversAddress(coverage: string, address: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${coverage}.scope`)} in ('', ${sql.ref(address)})`;
}

export type FollowedAccount = ReadEnds & {
  account: string;
  state: 'starting' | 'following';
  /** The earliest time of a payment to search for, in unix seconds like `openUntil`. */
  startAt: number;
  openUntil: number;
  /** Compared by every commit: another version means that another worker committed first. */
  version: bigint;
  unproven: number | undefined;
  /** Coverage cannot pass this block: the transaction above it cannot be read. */
  coverLimit: ChainPosition | undefined;
  /** Whether an unreadable transaction is due for a retry. */
  retryDue: boolean;
  unread: readonly string[];
  failures: number;
  /** Since when (unix ms) second reads have missed a stored transfer. */
  missingSinceMs: number | undefined;
};

type NullablePosition = { height: number | null; time: number | null };

export type AccountRow = {
  account: string;
  state: 'starting' | 'following';
  start: number;
  open: number;
  height: number;
  time: number;
  age: number;
  earlier: (NullablePosition & { age: number | null }) | null;
  version: bigint;
  read_by: string | null;
  covered_height: number | null;
  covered_time: number | null;
  unproven: number | null;
  held: NullablePosition | null;
  retry_due: boolean;
  unread: string[];
  failures: number;
  doubted_ms: number | null;
};

/** Unreadable transactions loaded per account, newest first. Reads leave these out and request all others again. */
const MAX_UNREAD = 100;

const epoch = (column: string) => sql`extract(epoch from ${sql.ref(column)})::float8`;
const age = (column: string) => sql`extract(epoch from clock_timestamp() - ${sql.ref(column)})::float8`;
const UNREADABLE_HERE = sql`from unreadable_transactions u where u.network = f.network and u.account = f.account`;
const HOLDING = sql`${UNREADABLE_HERE} and u.passed_at is null`;
const UNPROVEN = sql`
  select min(t.height)::float8 from transfers t
  where t.network = f.network and t.to_address = f.account and t.height > c.height and t.canonical
    and t.invoice_id is not null and t.reason is null and t.settled_hash is distinct from t.block_hash`;

export const ACCOUNT_COLUMNS = sql`f.account, f.state, ${epoch('f.start_at')} as start, ${epoch('f.open_until')} as open,
  f.height::float8 as height, ${epoch('f.block_time')} as time, ${age('f.read_at')} as age, f.version, f.failures, f.read_by,
  json_build_object('height', f.earlier_height, 'time', ${epoch('f.earlier_time')}, 'age', ${age('f.earlier_at')}) as earlier,
  ${epoch('f.doubted_at')} * 1000 as doubted_ms, c.height::float8 as covered_height, ${epoch('c.block_time')} as covered_time,
  (${UNPROVEN}) as unproven,
  (select json_build_object('height', u.height - 1, 'time', ${epoch('u.below_time')}) ${HOLDING} and u.height > c.height
    order by u.height limit 1) as held,
  exists (select ${HOLDING} and u.next_try_at <= clock_timestamp()) as retry_due,
  array(select u.tx_id ${UNREADABLE_HERE} order by u.height desc limit ${MAX_UNREAD}) as unread`;
export const WITH_COVERAGE = sql`left join chain_coverage c on c.network = f.network and c.scope = f.account and c.tier = ${ACCOUNT_TIER}`;

function positionOf(mark: NullablePosition | null): ChainPosition | undefined {
  if (mark === null || mark.height === null || mark.time === null) return undefined;
  return { height: mark.height, time: mark.time };
}

export function accountOf(row: AccountRow): FollowedAccount {
  const earlier = positionOf(row.earlier);
  return {
    account: row.account,
    state: row.state,
    startAt: row.start,
    openUntil: row.open,
    cursor: { height: row.height, time: row.time, ageSeconds: row.age },
    earlier: earlier && { ...earlier, ageSeconds: row.earlier?.age ?? 0 },
    readBy: row.read_by ?? undefined,
    version: row.version,
    covered: positionOf({ height: row.covered_height, time: row.covered_time }),
    unproven: row.unproven ?? undefined,
    coverLimit: positionOf(row.held),
    retryDue: row.retry_due,
    unread: row.unread,
    failures: row.failures,
    missingSinceMs: row.doubted_ms ?? undefined,
  };
}

export async function readAccountState(
  queries: Queries,
  network: string,
  account: string,
): Promise<FollowedAccount | undefined> {
  const { rows } = await sql<AccountRow>`
    select ${ACCOUNT_COLUMNS} from followed_accounts f ${WITH_COVERAGE}
    where f.network = ${network} and f.account = ${account}`.execute(queries);
  return rows[0] && accountOf(rows[0]);
}

/** Locks an account if nothing was committed for it since `version`. */
export async function lockVersion(tx: Tx, network: string, account: string, version: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('followed_accounts')
    .select('version')
    .where('network', '=', network)
    .where('account', '=', account)
    .where('version', '=', version)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks an account and raises its version, so that reads in progress are repeated. False when it is not followed. */
export async function lockAccount(tx: Tx, network: string, account: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('followed_accounts')
    .set((eb) => ({ version: eb('version', '+', 1n) }))
    .where('network', '=', network)
    .where('account', '=', account)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function isHalted(tx: Tx, network: string, account: string): Promise<boolean> {
  const { rows } = await sql`
    select from chains where network = ${network} and frozen_at is not null
    union all
    select from followed_accounts where network = ${network} and account = ${account} and stopped_at is not null`.execute(
    tx,
  );
  return rows.length > 0;
}

export async function stopFollowed(tx: Tx, network: string, account: string, at: Date, reason: string): Promise<void> {
  await sql`
    update followed_accounts set stopped_at = ${at}, stop_reason = ${reason}
    where network = ${network} and account = ${account} and stopped_at is null`.execute(tx);
}

/** Moves cursor and coverage back, to read the range again. Always safe: invoices only wait longer. */
export async function rewindAccount(tx: Tx, network: string, account: string, to: ChainPosition): Promise<void> {
  const at = dateFromUnix(to.time);
  await sql`
    update followed_accounts set height = least(height, ${to.height}::bigint), block_time = least(block_time, ${at}::timestamptz),
      earlier_height = null, earlier_time = null, earlier_at = null, version = version + 1
    where network = ${network} and account = ${account}`.execute(tx);
  await sql`
    update chain_coverage set height = least(height, ${to.height}::bigint), block_time = least(block_time, ${at}::timestamptz)
    where network = ${network} and scope = ${account} and tier = ${ACCOUNT_TIER}`.execute(tx);
}

/** Starts following at a height older than all quotes, unless the account was read further before. */
export async function startFollowing(tx: Tx, network: string, account: string, start: ChainPosition): Promise<void> {
  const at = dateFromUnix(start.time);
  await sql`
    update followed_accounts set state = 'following', height = greatest(height, ${start.height}::bigint),
      block_time = greatest(block_time, ${at}::timestamptz), version = version + 1, doubted_at = null, unstartable_at = null
    where network = ${network} and account = ${account}`.execute(tx);
  await sql`
    insert into chain_coverage as c (network, scope, tier, height, block_time)
    values (${network}, ${account}, ${ACCOUNT_TIER}, ${start.height}::bigint, ${at}::timestamptz)
    on conflict (network, scope, tier) do update set height = greatest(c.height, excluded.height),
      block_time = greatest(c.block_time, excluded.block_time)`.execute(tx);
}

export type CursorMove = {
  version: bigint;
  to: ChainPosition;
  readBy: string | undefined;
  keepEarlier: boolean;
};

/** Moves the cursor and returns the new version; undefined when another worker committed first. */
export async function moveAccountCursor(
  queries: Queries | Tx,
  network: string,
  account: string,
  { version, to, readBy, keepEarlier }: CursorMove,
): Promise<bigint | undefined> {
  const earlier = keepEarlier ? sql`` : sql`earlier_height = height, earlier_time = block_time, earlier_at = read_at,`;
  const { rows } = await sql<{ version: bigint }>`
    update followed_accounts set ${earlier} height = greatest(height, ${to.height}::bigint),
      block_time = greatest(block_time, ${dateFromUnix(to.time)}::timestamptz), read_at = clock_timestamp(),
      read_by = ${readBy ?? null}, version = version + 1
    where network = ${network} and account = ${account} and version = ${version}
    returning version`.execute(queries);
  return rows[0]?.version;
}

export async function moveAccountCoverage(tx: Tx, network: string, account: string, to: ChainPosition): Promise<void> {
  await sql`
    update chain_coverage set height = ${to.height}::bigint, block_time = ${dateFromUnix(to.time)}
    where network = ${network} and scope = ${account} and tier = ${ACCOUNT_TIER} and height < ${to.height}::bigint`.execute(
    tx,
  );
  await sql`
    update followed_accounts set version = version + 1, doubted_at = null
    where network = ${network} and account = ${account}`.execute(tx);
}

/**
 * Moves coverage without transfers in one statement. Does nothing when another worker committed, the network is frozen
 * or the account is stopped. Missing transfers above the new coverage stay recorded.
 */
export async function coverUnchanged(
  queries: Queries,
  network: string,
  account: string,
  { version, to }: { version: bigint; to: ChainPosition },
): Promise<void> {
  await sql`
    with covered as (
      update followed_accounts f set version = version + 1, doubted_at = case when exists (
          select from transfers t where t.network = f.network and t.to_address = f.account and t.height > ${to.height}::bigint
            and t.canonical) then f.doubted_at end
      where network = ${network} and account = ${account} and version = ${version}
        and stopped_at is null and exists (select from chains h where h.network = ${network} and h.frozen_at is null)
      returning network, account
    )
    update chain_coverage c set height = ${to.height}::bigint, block_time = ${dateFromUnix(to.time)}
    from covered f where c.network = f.network and c.scope = f.account and c.tier = ${ACCOUNT_TIER}
      and c.height < ${to.height}::bigint`.execute(queries);
}

export async function markMissing(queries: Queries, network: string, account: string, at: Date): Promise<void> {
  await sql`
    update followed_accounts set doubted_at = coalesce(doubted_at, ${at})
    where network = ${network} and account = ${account}`.execute(queries);
}

/** Saves the reported heads. A node that lags never lowers them. */
export async function saveAccountHeads(
  queries: Queries,
  network: string,
  heads: AccountHeads,
  readAt: Date,
): Promise<number> {
  const { rows } = await sql<{ databaseMs: number }>`
    insert into chains as h (network, height, hash, block_time, head_height, head_time, head_read_at)
    values (${network}, ${heads.finalized.height}::bigint, '', ${dateFromUnix(heads.finalized.time)}, ${heads.confirmed.height}::bigint,
      ${dateFromUnix(heads.confirmed.time)}, ${readAt})
    on conflict (network) do update set height = greatest(h.height, excluded.height), block_time = greatest(h.block_time, excluded.block_time),
      head_height = greatest(h.head_height, excluded.head_height), head_time = greatest(h.head_time, excluded.head_time),
      head_read_at = excluded.head_read_at
    returning extract(epoch from clock_timestamp())::float8 * 1000 as "databaseMs"`.execute(queries);
  return rows[0]?.databaseMs ?? 0;
}

/** Inserts an idle account for an exchange account: a rescan locks this row while it records transfers. */
export async function insertIdleAccount(tx: Tx, network: string, account: string, startAt: Date): Promise<void> {
  await sql`
    insert into followed_accounts (network, account, state, start_at, open_until, next_read_at)
    values (${network}, ${account}, 'idle', ${startAt}, ${startAt}, 'infinity')
    on conflict (network, account) do nothing`.execute(tx);
}

/** Stops following a removed exchange account, unless it was added again. */
export async function stopFollowingRemoved(queries: Queries, network: string, account: string): Promise<void> {
  await sql`
    update followed_accounts f set state = 'idle', next_read_at = 'infinity', version = version + 1
    where network = ${network} and account = ${account} and not exists (
      select from exchange_accounts x where x.network = f.network and x.account = f.account and x.removed_at is null)`.execute(
    queries,
  );
}

export async function listFollowedOf(tx: Tx, storeId: bigint): Promise<{ network: string; account: string }[]> {
  const { rows } = await sql<{ network: string; account: string }>`
    select f.network, f.account from wallets w join followed_accounts f on f.network = w.network and f.account = w.address
    where w.store_id = ${storeId} and f.state <> 'idle' order by 1, 2`.execute(tx);
  return rows;
}

export async function listAccounts(queries: Queries, network: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('followed_accounts')
    .select('account')
    .where('network', '=', network)
    .orderBy('account')
    .execute();
  return rows.map((row) => row.account);
}
