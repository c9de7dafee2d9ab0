import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** What a page needs around it without a chain or a source of prices: written as if they had just been read. */

/** A network that was read a moment ago. */
export async function followNetwork(database: Database, network: string, height = 1_000): Promise<void> {
  await database.pool.query(
    `insert into chains (network, height, hash, block_time, head_height, head_time) values ($1, $2, 'h', now(), $2, now())
     on conflict (network) do update set height = $2, head_height = $2, block_time = now(), head_time = now()`,
    [network, height],
  );
}

export async function setPrices(database: Database): Promise<void> {
  const at = new Date(systemClock.nowMs());
  for (const source of ['kraken', 'coinbase']) {
    for (const [token, usd] of Object.entries({ USDT: '1', USDC: '1', BNB: '600', ETH: '3000' })) {
      await database.pool.query(
        `insert into price_reports (source, token, usd, observed_at) values ($1, $2, $3, $4)
         on conflict (source, token) do update set usd = excluded.usd, observed_at = excluded.observed_at`,
        [source, token, usd, at],
      );
    }
  }
}
