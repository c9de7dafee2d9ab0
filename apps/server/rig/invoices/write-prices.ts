import type { Database } from '../../src/db/database.ts';

/** Stores prices in USD as if two agreeing sources had reported them at the given moment. */
export async function writePrices(database: Database, at: Date, prices: Record<string, string>): Promise<void> {
  await database.pool.query(
    `insert into price_reports (source, token, usd, observed_at)
     select source, token, usd, $3 from unnest($1::text[], $2::numeric[]) as p (token, usd), unnest(array['kraken', 'coinbase']) as source
     on conflict (source, token) do update set usd = excluded.usd, observed_at = excluded.observed_at`,
    [Object.keys(prices), Object.values(prices), at],
  );
}
