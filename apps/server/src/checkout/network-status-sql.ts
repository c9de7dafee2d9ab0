import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import type { NetworkState } from './network-state.ts';
import { networkState } from './network-state.ts';

/** Head and state of every network that is not retired. */

export type ChainStanding = {
  network: string;
  headHeight: number;
  /** Changes with time, so callers cache it only briefly. */
  state: NetworkState;
};

type ChainFact = ReadingFact & { network: string; headHeight: number; frozen: boolean };

export async function readChainStandings(queries: Queries, clock: Clock): Promise<ChainStanding[]> {
  const { rows } = await sql<ChainFact>`
    select network, head_height::float8 as "headHeight", block_time as "readTime", head_time as "headTime",
      head_read_at as "headReadAt", frozen_at is not null as frozen
    from chains where retired_at is null order by network`.execute(queries);
  return rows.map((fact) => ({
    network: fact.network,
    headHeight: fact.headHeight,
    state: networkState(fact, clock),
  }));
}
