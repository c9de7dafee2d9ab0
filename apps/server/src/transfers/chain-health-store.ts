import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

export type ChainHealth = {
  network: string;
  height: number;
  headHeight: number;
  headTime: number;
  frozen: boolean;
  coverage: { tier: string; time: number }[];
};

export async function readChainHealth(queries: Queries): Promise<ChainHealth[]> {
  const { rows } = await sql<ChainHealth>`
    select h.network, h.height::float8 as height, h.head_height::float8 as "headHeight", h.frozen_at is not null as frozen,
      extract(epoch from h.head_time)::float8 as "headTime",
      (select coalesce(json_agg(json_build_object('tier', c.tier, 'time', extract(epoch from c.block_time)::float8)), '[]')
        from chain_coverage c where c.network = h.network and c.scope = '') as coverage
    from chains h where h.retired_at is null order by h.network`.execute(queries);
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
