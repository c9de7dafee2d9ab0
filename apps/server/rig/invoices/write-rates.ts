import type { Database } from '../../src/db/database.ts';

/** Stores rates in USD as if two agreeing sources had reported them at the given moment, and the ECB the same before. */
export async function writeRates(database: Database, at: Date, rates: Record<string, string>): Promise<void> {
  await database.pool.query(
    `insert into price_reports (source, token, usd, observed_at, changed_at)
     select source, token, usd, $3, $3 from unnest($1::text[], $2::numeric[]) as r (token, usd),
       unnest(array['kraken', 'coinbase', 'ecb']) as source
     on conflict (source, token) do update set usd = excluded.usd, observed_at = excluded.observed_at, changed_at = excluded.changed_at`,
    [Object.keys(rates), Object.values(rates), at],
  );
}
