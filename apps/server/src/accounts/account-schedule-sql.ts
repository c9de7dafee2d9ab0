import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { AccountRow, FollowedAccount } from './account-sql.ts';
import { ACCOUNT_COLUMNS, accountOf, WITH_COVERAGE } from './account-sql.ts';

/** Which accounts are followed, and whose turn it is. */

/** Asks that an address be followed. Written with the quote; takes no lock that a reader holds. */
export async function insertDemand(
  tx: Tx,
  demand: { network: string; account: string; startAt: Date; openUntil: Date },
): Promise<void> {
  await tx
    .insertInto('account_demands')
    .values({
      network: demand.network,
      account: demand.account,
      start_at: demand.startAt,
      open_until: demand.openUntil,
    })
    .execute();
}

/**
 * The part of a statement that asks for the same of the quote in `selected`, whose address it is. Nothing is asked where
 * `wanted` is false: the text stays the same on every network.
 */
export function demandSelected(demand: { wanted: boolean; startAt: Date; openUntil: Date }): RawBuilder<unknown> {
  return sql`demanded as (
      insert into account_demands (network, account, start_at, open_until)
      select network, to_address, ${demand.startAt}::timestamptz, ${demand.openUntil}::timestamptz from selected
      where ${demand.wanted}::boolean
    )`;
}

/**
 * Takes demands up: a new account begins where the oldest of them may have been paid, an idle one again so, one that is
 * followed only lasts longer. Returns how many were taken.
 */
export async function takeDemands(queries: Queries, network: string, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from account_demands where id in (
        select id from account_demands where network = ${network} order by id limit ${limit} for update skip locked)
      returning account, start_at, open_until
    ), wanted as (
      select account, min(start_at) as start_at, max(open_until) as open_until from taken group by account order by account
    ), merged as (
      insert into followed_accounts as f (network, account, start_at, open_until)
      select ${network}, account, start_at, open_until from wanted
      on conflict (network, account) do update set open_until = greatest(f.open_until, excluded.open_until),
        start_at = case f.state when 'idle' then excluded.start_at when 'starting' then least(f.start_at, excluded.start_at)
          else f.start_at end,
        state = case f.state when 'idle' then 'starting' else f.state end,
        next_read_at = least(f.next_read_at, now())
    )
    select count(*)::integer as taken from taken`.execute(queries);
  return rows[0]?.taken ?? 0;
}

/** Accounts that are due, the longest waiting first. A claim is a lease in database time, for economy only. */
export async function claimAccounts(
  queries: Queries,
  network: string,
  limit: number,
  leaseSeconds: number,
): Promise<FollowedAccount[]> {
  const { rows } = await sql<AccountRow>`
    with due as (
      select network, account from followed_accounts
      where network = ${network} and state <> 'idle' and next_read_at <= now()
      order by next_read_at limit ${limit} for update skip locked
    ), f as (
      update followed_accounts f set next_read_at = now() + make_interval(secs => ${leaseSeconds})
      from due d where f.network = d.network and f.account = d.account returning f.*
    )
    select ${ACCOUNT_COLUMNS} from f ${WITH_COVERAGE}`.execute(queries);
  return rows.map(accountOf);
}

const nextTurn = (inMs: number) =>
  sql`case when next_read_at <= now() then next_read_at else now() + make_interval(secs => ${inMs / 1000}) end`;

/** When an account is read next, in database time. A demand that came meanwhile has made it due: that stands. */
export async function scheduleAccount(
  queries: Queries,
  network: string,
  account: string,
  inMs: number,
  failure?: string,
): Promise<void> {
  await sql`
    update followed_accounts set next_read_at = ${nextTurn(inMs)},
      failures = ${failure === undefined ? sql`0` : sql`failures + 1`}, last_error = ${failure ?? null}
    where network = ${network} and account = ${account}`.execute(queries);
}

/** The same of accounts that need not be read in this turn. */
export async function scheduleAccounts(
  queries: Queries,
  network: string,
  accounts: readonly string[],
  inMs: number,
): Promise<void> {
  if (accounts.length === 0) return;
  await sql`
    update followed_accounts set next_read_at = ${nextTurn(inMs)}
    where network = ${network} and account = any(${accounts}::text[])`.execute(queries);
}

/** How long a quote that outlives its invoice's end, because another network is behind, keeps its address followed. */
const OPEN_REST = sql`interval '1 hour'`;

/**
 * Lets an account rest for good once no amount at it is open or rests, in the chain's own time. That is asked again only
 * when the last of them that was found has ended.
 */
export async function idleAccount(
  queries: Queries,
  network: string,
  account: string,
  coveredUntil: number,
): Promise<void> {
  const covered = sql`${dateFromUnix(coveredUntil)}::timestamptz`;
  await sql`
    with due as (
      select f.network, f.account, (
          select max(s.held_until) from amount_slots s
          where s.network = f.network and s.address = f.account and s.held_until > ${covered}) as rests
      from followed_accounts f
      where f.network = ${network} and f.account = ${account} and f.state = 'following' and f.open_until < ${covered} and f.rests_until < ${covered}
    )
    update followed_accounts f set
      state = case when d.rests is null then 'idle' else f.state end,
      next_read_at = case when d.rests is null then 'infinity' else f.next_read_at end,
      rests_until = case d.rests when 'infinity' then ${covered} + ${OPEN_REST} else coalesce(d.rests, f.rests_until) end
    from due d where f.network = d.network and f.account = d.account and f.open_until < ${covered}`.execute(queries);
}
