import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { ACCOUNT_NETWORKS } from '../networks/network.ts';
import type { AccountCommitment, AccountMark } from './account-source.ts';

/** Accounts that are followed one by one: what was read of each, and its coverage. */

/** Accounts are covered by what is final, and by nothing less. */
export const ACCOUNT_TIER: AccountCommitment & 'finalized' = 'finalized';

/** The scope under which coverage of money at an address is kept, in SQL: the address where accounts are read. */
export function quoteScope(network: string, address: string): RawBuilder<string> {
  return sql`case when ${sql.ref(network)} in (${sql.join(ACCOUNT_NETWORKS)}) then ${sql.ref(address)} else '' end`;
}

const seconds = (time: number) => new Date(time * 1000);

export type FollowedAccount = {
  account: string;
  state: 'starting' | 'following';
  /** In whole seconds, as all times here. A payment may be this old. */
  startAt: number;
  openUntil: number;
  /** The cursor of the first look. */
  cursor: AccountMark;
  /** Compared by whoever commits something that was read. */
  version: bigint;
  /** Undefined before its first height is decided. */
  covered: AccountMark | undefined;
  /** Where the lowest payment stands that was seen here and is not covered yet. */
  unsettled: number | undefined;
  failures: number;
  /** In milliseconds: since when the second look lacks something. */
  doubtedMs: number | undefined;
};

export type AccountRow = {
  account: string;
  state: 'starting' | 'following';
  start: number;
  open: number;
  height: number;
  time: number;
  version: bigint;
  covered_height: number | null;
  covered_time: number | null;
  unsettled: number | null;
  failures: number;
  doubted_ms: number | null;
};

const epoch = (column: string) => sql`extract(epoch from ${sql.ref(column)})::float8`;
export const ACCOUNT_COLUMNS = sql`f.account, f.state, ${epoch('f.start_at')} as start, ${epoch('f.open_until')} as open,
  f.height::float8 as height, ${epoch('f.block_time')} as time, f.version, f.failures,
  ${epoch('f.doubted_at')} * 1000 as doubted_ms, c.height::float8 as covered_height, ${epoch('c.block_time')} as covered_time,
  (select min(t.height) from transfers t
    where t.network = f.network and t.to_address = f.account and t.height > c.height and t.canonical)::float8 as unsettled`;
export const WITH_COVERAGE = sql`left join chain_coverage c on c.network = f.network and c.scope = f.account and c.tier = ${ACCOUNT_TIER}`;

export function accountOf(row: AccountRow): FollowedAccount {
  const covered = row.covered_height !== null && row.covered_time !== null;
  return {
    account: row.account,
    state: row.state,
    startAt: row.start,
    openUntil: row.open,
    cursor: { height: row.height, time: row.time },
    version: row.version,
    covered: covered ? { height: row.covered_height ?? 0, time: row.covered_time ?? 0 } : undefined,
    unsettled: row.unsettled ?? undefined,
    failures: row.failures,
    doubtedMs: row.doubted_ms ?? undefined,
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

/** Locks an account if nothing was committed for it since `version` was read. */
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

/** Waits for a reader's commit and holds the next one up; readers that are under way will have to look again. */
export async function lockAccount(tx: Tx, network: string, account: string): Promise<void> {
  await tx
    .updateTable('followed_accounts')
    .set((eb) => ({ version: eb('version', '+', 1n) }))
    .where('network', '=', network)
    .where('account', '=', account)
    .execute();
}

/** Begins at a height: nothing before it was quoted at. What was read earlier stays read. */
export async function startFollowing(tx: Tx, network: string, account: string, start: AccountMark): Promise<void> {
  const at = seconds(start.time);
  await sql`
    update followed_accounts set state = 'following', height = greatest(height, ${start.height}::bigint),
      block_time = greatest(block_time, ${at}::timestamptz), version = version + 1, doubted_at = null
    where network = ${network} and account = ${account}`.execute(tx);
  await sql`
    insert into chain_coverage as c (network, scope, tier, height, block_time)
    values (${network}, ${account}, ${ACCOUNT_TIER}, ${start.height}::bigint, ${at}::timestamptz)
    on conflict (network, scope, tier) do update set height = greatest(c.height, excluded.height),
      block_time = greatest(c.block_time, excluded.block_time)`.execute(tx);
}

/** Moves the cursor, under the account's lock. */
export async function moveAccountCursor(tx: Tx, network: string, account: string, to: AccountMark): Promise<void> {
  await sql`
    update followed_accounts set height = greatest(height, ${to.height}::bigint),
      block_time = greatest(block_time, ${seconds(to.time)}::timestamptz), version = version + 1
    where network = ${network} and account = ${account}`.execute(tx);
}

/** Moves coverage, under the account's lock; what was doubted is decided then. */
export async function coverAccount(tx: Tx, network: string, account: string, to: AccountMark): Promise<void> {
  await sql`
    update chain_coverage set height = ${to.height}::bigint, block_time = ${seconds(to.time)}
    where network = ${network} and scope = ${account} and tier = ${ACCOUNT_TIER} and height < ${to.height}::bigint`.execute(
    tx,
  );
  await sql`
    update followed_accounts set version = version + 1, doubted_at = null
    where network = ${network} and account = ${account}`.execute(tx);
}

export type QuietMove = { version: bigint; cursor: AccountMark; covered: AccountMark };

/**
 * Moves cursor and coverage of an account at which nothing happened, in one statement. Nothing when another committed
 * for it meanwhile; a frozen network's coverage stays.
 */
export async function moveQuietly(queries: Queries, network: string, account: string, move: QuietMove): Promise<void> {
  await sql`
    with moved as (
      update followed_accounts set height = ${move.cursor.height}::bigint, block_time = ${seconds(move.cursor.time)},
        version = version + 1, doubted_at = null
      where network = ${network} and account = ${account} and version = ${move.version}
      returning network, account
    )
    update chain_coverage c set height = ${move.covered.height}::bigint, block_time = ${seconds(move.covered.time)}
    from moved m where c.network = m.network and c.scope = m.account and c.tier = ${ACCOUNT_TIER}
      and c.height < ${move.covered.height}::bigint
      and exists (select from chains h where h.network = m.network and h.frozen_at is null)`.execute(queries);
}

/** The first moment of a doubt is kept. */
export async function doubtAccount(queries: Queries, network: string, account: string, at: Date): Promise<void> {
  await sql`
    update followed_accounts set doubted_at = coalesce(doubted_at, ${at})
    where network = ${network} and account = ${account}`.execute(queries);
}

/** Where the network stands, as its nodes tell. A node that is behind takes nothing back. */
export async function saveAccountHeads(
  queries: Queries,
  network: string,
  heads: Record<AccountCommitment, AccountMark>,
  readAt: Date,
): Promise<void> {
  await sql`
    insert into chains as h (network, height, hash, block_time, head_height, head_time, head_read_at)
    values (${network}, ${heads.finalized.height}::bigint, '', ${seconds(heads.finalized.time)}, ${heads.confirmed.height}::bigint,
      ${seconds(heads.confirmed.time)}, ${readAt})
    on conflict (network) do update set height = greatest(h.height, excluded.height), block_time = greatest(h.block_time, excluded.block_time),
      head_height = greatest(h.head_height, excluded.head_height), head_time = greatest(h.head_time, excluded.head_time),
      head_read_at = excluded.head_read_at`.execute(queries);
}
