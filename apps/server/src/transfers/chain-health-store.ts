import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { ACCOUNT_NETWORKS } from '../networks/network.ts';
import { ACCOUNT_TIER } from './account-store.ts';

export type ChainHealth = {
  network: string;
  height: number;
  headHeight: number;
  headTime: number;
  frozen: boolean;
  /** Where accounts are read: that of the open account that is furthest behind. */
  coverage: { tier: string; time: number }[];
  /** Null for a network that is read whole. */
  accounts: { open: number; resting: number; behind: number; failing: number } | null;
};

/** An open account that is not covered up to so long before the final block is behind: more than it may be on purpose. */
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

export async function readChainHealth(queries: Queries): Promise<ChainHealth[]> {
  const { rows } = await sql<ChainHealth>`
    select h.network, h.height::float8 as height, h.head_height::float8 as "headHeight", h.frozen_at is not null as frozen,
      extract(epoch from h.head_time)::float8 as "headTime",
      case when a.accounts is null then
          (select coalesce(json_agg(json_build_object('tier', c.tier, 'time', extract(epoch from c.block_time)::float8)), '[]')
            from chain_coverage c where c.network = h.network and c.scope = '')
        else json_build_array(json_build_object('tier', ${ACCOUNT_TIER}::text, 'time', extract(epoch from coalesce(a.covered, h.block_time))::float8))
      end as coverage, a.accounts
    from chains h left join lateral (${ACCOUNTS}) a on h.network = any(${ACCOUNT_NETWORKS}::text[])
    where h.retired_at is null order by h.network`.execute(queries);
  return rows;
}

export async function countAmounts(queries: Queries): Promise<{ network: string; token: string; amounts: number }[]> {
  const { rows } = await sql<{ network: string; token: string; amounts: number }>`
    select network, token, count(*)::integer as amounts from amount_slots where held_until > now() group by network, token`.execute(
    queries,
  );
  return rows;
}

export async function countInbox(queries: Queries): Promise<{ network: string; reason: string; transfers: number }[]> {
  const { rows } = await sql<{ network: string; reason: string; transfers: number }>`
    select network, reason, count(*)::integer as transfers from transfers where reason is not null group by network, reason`.execute(
    queries,
  );
  return rows;
}
