import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Where each followed network stands: how high, and how long ago. */

export type ChainStanding = {
  network: string;
  headHeight: number;
  /** Time of the newest block that was read. */
  readSeconds: number;
  frozen: boolean;
};

export async function readChainStandings(queries: Queries): Promise<ChainStanding[]> {
  const { rows } = await sql<ChainStanding>`
    select network, head_height::float8 as "headHeight", extract(epoch from block_time)::float8 as "readSeconds",
      frozen_at is not null as frozen
    from chains where retired_at is null order by network`.execute(queries);
  return rows;
}
