import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { PRICED_TOKENS } from './price.ts';

/** Ages are capped here: the price history is not kept longer. */
export const OLDEST_SECONDS = 600;

type PriceHealth = {
  /** Seconds since the sources last agreed on a price; `OLDEST_SECONDS` for longer or never. */
  tokens: { token: string; seconds: number }[];
  sources: { source: string; seconds: number }[];
};

export async function readPriceHealth(queries: Queries, now: Date): Promise<PriceHealth> {
  const { rows: tokens } = await sql<PriceHealth['tokens'][number]>`
    select k.token, least(${OLDEST_SECONDS}, greatest(0, coalesce(extract(epoch from ${now}::timestamptz - (
      select max(h.decided_at) from price_history h where h.token = k.token)), ${OLDEST_SECONDS})))::float8 as seconds
    from unnest(${PRICED_TOKENS}::text[]) with ordinality k (token, place) order by k.place`.execute(queries);
  const { rows: sources } = await sql<PriceHealth['sources'][number]>`
    select source, greatest(0, extract(epoch from ${now}::timestamptz - max(observed_at)))::float8 as seconds
    from price_reports where token = any(${PRICED_TOKENS}::text[]) group by source order by source`.execute(queries);
  return { tokens, sources };
}
