import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { AccountRow, FollowedAccount } from './account-sql.ts';
import { ACCOUNT_COLUMNS, accountOf, WITH_COVERAGE } from './account-sql.ts';

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

/** CTE that requests reading of the address of the quote in `selected`, if `wanted`. Its text is the same for all networks. */
export function demandSelected(demand: { wanted: boolean; startAt: Date; openUntil: Date }): RawBuilder<unknown> {
  return sql`demanded as (
      insert into account_demands (network, account, start_at, open_until)
      select network, to_address, ${demand.startAt}::timestamptz, ${demand.openUntil}::timestamptz from selected
      where ${demand.wanted}::boolean
    )`;
}

/** Turns demands into followed accounts (new and idle ones start at their oldest demand); returns how many. */
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

/** Networks with a due followed account or a waiting demand. */
export async function findDueNetworks(queries: Queries, networks: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ network: string }>`
    select n.network from unnest(${networks}::text[]) n (network)
    where exists (select from followed_accounts f where f.network = n.network and f.state <> 'idle' and f.next_read_at <= now())
      or exists (select from account_demands d where d.network = n.network)`.execute(queries);
  return rows.map(({ network }) => network);
}

/** Claims due accounts, longest waiting first. Claims only save duplicate work; versions keep commits safe. */
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

const nextReadAt = (inMs: number) =>
  sql`case when next_read_at <= now() then next_read_at else now() + make_interval(secs => ${inMs / 1000}) end`;

/** Sets the next poll in database time, unless a demand made the account due since. */
export async function scheduleAccount(
  queries: Queries,
  network: string,
  account: string,
  inMs: number,
  failure?: string,
): Promise<void> {
  await sql`
    update followed_accounts set next_read_at = ${nextReadAt(inMs)},
      failures = ${failure === undefined ? sql`0` : sql`failures + 1`}, last_error = ${failure ?? null}
    where network = ${network} and account = ${account}`.execute(queries);
}

export async function scheduleAccounts(
  queries: Queries,
  network: string,
  accounts: readonly string[],
  inMs: number,
): Promise<void> {
  if (accounts.length === 0) return;
  await sql`
    update followed_accounts set next_read_at = ${nextReadAt(inMs)}
    where network = ${network} and account = any(${accounts}::text[])`.execute(queries);
}

const OPEN_QUOTE_INTERVAL = sql`interval '1 hour'`;

/** Stops following addresses without open or quarantined amounts, checked after the last known quarantine's end. */
export async function stopFollowingUnused(
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
      rests_until = case d.rests when 'infinity' then ${covered} + ${OPEN_QUOTE_INTERVAL} else coalesce(d.rests, f.rests_until) end
    from due d where f.network = d.network and f.account = d.account and f.open_until < ${covered}`.execute(queries);
}
