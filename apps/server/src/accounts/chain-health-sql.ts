import { isSandboxId, SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Networks } from '../networks/networks.ts';
import { accountNetworks } from '../networks/networks.ts';
import { ACCOUNT_TIER } from './account-sql.ts';

export type ChainHealth = {
  network: string;
  height: number;
  headHeight: number;
  headTime: number;
  frozen: boolean;
  coverage: { tier: string; time: number }[];
  accounts: { open: number; resting: number; behind: number; failing: number } | null;
};

/** An open account is behind when its coverage lags the final block by more than its schedule allows. */
const BEHIND_SECONDS = 120;

const ACCOUNTS = sql`
  select min(c.block_time) filter (where c.block_time <= f.open_until) as covered, json_build_object(
      'open', count(*) filter (where c.block_time is null or c.block_time <= f.open_until),
      'resting', count(*) filter (where c.block_time > f.open_until),
      'behind', count(*) filter (where c.block_time is null
        or c.block_time <= f.open_until and c.block_time < h.block_time - make_interval(secs => ${BEHIND_SECONDS})),
      'failing', count(*) filter (where f.failures > 0)) as accounts
  from followed_accounts f
    left join chain_coverage c on c.network = f.network and c.scope = f.account and c.tier = ${ACCOUNT_TIER}
  where f.network = h.network and f.state <> 'idle'`;

export async function readChainHealth(queries: Queries, networks: Networks): Promise<ChainHealth[]> {
  const { rows } = await sql<ChainHealth>`
    select h.network, h.height::float8 as height, h.head_height::float8 as "headHeight", h.frozen_at is not null as frozen,
      extract(epoch from h.head_time)::float8 as "headTime",
      case when a.accounts is null then
          (select coalesce(json_agg(json_build_object('tier', c.tier, 'time', extract(epoch from c.block_time)::float8)), '[]')
            from chain_coverage c where c.network = h.network and c.scope = '')
        else json_build_array(json_build_object('tier', ${ACCOUNT_TIER}::text, 'time', extract(epoch from coalesce(a.covered, h.block_time))::float8))
      end as coverage, a.accounts
    from chains h left join lateral (${ACCOUNTS}) a on h.network = any(${accountNetworks(networks)}::text[])
    where h.retired_at is null and not starts_with(h.network, ${SANDBOX_PREFIX}) order by h.network`.execute(queries);
  return rows;
}

/** Figures of sandbox networks are never shown beside those of live ones. */
const isLive = ({ network }: { network: string }) => !isSandboxId(network);

/** Limit of counted rows: the cost of a metric must not grow with the number of rows. */
export const COUNTED_UP_TO = 10_000;

type TakenAmounts = { network: string; token: string; amounts: number };

export async function countAmounts(queries: Queries): Promise<TakenAmounts[]> {
  const { rows } = await sql<TakenAmounts>`
    with recursive kinds as (
      (select network, token from amount_slots order by network, token limit 1)
      union all
      select n.network, n.token from kinds k cross join lateral (
        select s.network, s.token from amount_slots s where (s.network, s.token) > (k.network, k.token)
        order by s.network, s.token limit 1) n
    )
    select k.network, k.token, (select count(*) from (
        select from amount_slots s where s.network = k.network and s.token = k.token and s.held_until > now()
          and s.display_units % 4 <> 3
        limit ${COUNTED_UP_TO}) held)::integer as amounts
    from kinds k`.execute(queries);
  return rows.filter(isLive);
}

type InboxCount = { network: string; reason: string; transfers: number };

export async function countInbox(queries: Queries): Promise<InboxCount[]> {
  const { rows } = await sql<InboxCount>`
    with recursive kinds as (
      (select network, reason from transfers where reason is not null order by network, reason limit 1)
      union all
      select n.network, n.reason from kinds k cross join lateral (
        select t.network, t.reason from transfers t where t.reason is not null and (t.network, t.reason) > (k.network, k.reason)
        order by t.network, t.reason limit 1) n
    )
    select k.network, k.reason, (select count(*) from (
        select from transfers t where t.network = k.network and t.reason = k.reason limit ${COUNTED_UP_TO}) found)::integer as transfers
    from kinds k`.execute(queries);
  return rows.filter(isLive);
}
