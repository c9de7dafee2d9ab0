import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { writePrices } from '../invoices/write-prices.ts';

/**
 * State that a page needs (networks and prices), written without a chain or price sources as if it had just been read.
 */

/** Marks a network as read to its head for longer than any suite lasts. */
export async function followNetwork(database: Database, network: string, height = 1_000): Promise<void> {
  await database.pool.query(
    `insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at)
     select $1, $2, 'h', at, $2, at, at from (select now() + interval '1 hour' as at) t
     on conflict (network) do update set height = excluded.height, head_height = excluded.head_height,
       block_time = excluded.block_time, head_time = excluded.head_time, head_read_at = excluded.head_read_at`,
    [network, height],
  );
}

export async function setPrices(database: Database, atMs = systemClock.nowMs()): Promise<void> {
  await writePrices(database, new Date(atMs), { USDT: '1', USDC: '1', BNB: '600', ETH: '3000' });
}
