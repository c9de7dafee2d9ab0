import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Network, Token } from '../networks/network.ts';
import { coinOf } from '../networks/network.ts';
import { readReports } from '../prices/price-sql.ts';
import { dustUnits } from './coin-dust.ts';
import { findKeptDust } from './coin-dust-sql.ts';
import type { ChainTransfer } from '../sources/transfer.ts';

/**
 * Drops dust: coins worth less than ten cents at the last price are only counted. Amounts that were quoted and
 * transfers that were recorded before are kept: a moving price must not make two reads of a range differ.
 */

/** Age from which a price is too old to be used; without a price no transfer is dust. */
const MAX_PRICE_AGE_MS = 24 * 3_600_000;
const PRICE_KEPT_MS = 60_000;
const CANDIDATES_AT_ONCE = 1_000;

/** The amount of a coin, in base units, below which a transfer is dust; computed again once a minute. */
type DustLimit = { units: bigint; readAtMs: number };

/** The dust limit that was computed last. Written by this file alone. */
export type DustMemory = { dustLimit: DustLimit | undefined };

type DustContext = {
  readonly database: Database;
  readonly clock: Clock;
  readonly source: { readonly network: Network };
  readonly memory: DustMemory;
};

/** Computes the dust limit from the highest recent price of any source: in doubt a transfer is kept. */
async function readLimit({ database, clock }: DustContext, coin: Token): Promise<DustLimit> {
  const readAtMs = clock.nowMs();
  const reports = await readReports(database.queries, [coin.pricedAs]);
  const recent = reports.filter(({ at }) => readAtMs - at.getTime() < MAX_PRICE_AGE_MS);
  const [highest = 0n] = recent.map(({ priceUnits }) => priceUnits).toSorted((left, right) => (left > right ? -1 : 1));
  return { units: dustUnits(coin, highest), readAtMs };
}

async function currentLimit(reader: DustContext, coin: Token): Promise<bigint> {
  const { memory } = reader;
  const present = memory.dustLimit;
  if (present && reader.clock.nowMs() - present.readAtMs < PRICE_KEPT_MS) return present.units;
  memory.dustLimit = await readLimit(reader, coin);
  return memory.dustLimit.units;
}

export async function dropCoinDust<Transfer extends ChainTransfer>(
  reader: DustContext,
  transfers: readonly Transfer[],
): Promise<{ kept: Transfer[]; dust: number }> {
  const { network } = reader.source;
  const coin = coinOf(network);
  if (!coin || !transfers.some(({ token }) => token === coin.symbol)) return { kept: [...transfers], dust: 0 };
  const limit = await currentLimit(reader, coin);
  const small = transfers.filter(({ token, units }) => token === coin.symbol && units < limit);
  const dust = new Set(small);
  const scale = 10n ** BigInt(coin.decimals - coin.displayDecimals);
  for (let start = 0; start < small.length; start += CANDIDATES_AT_ONCE) {
    const part = small.slice(start, start + CANDIDATES_AT_ONCE);
    const candidates = part.map(({ txId, index, to, units }) => ({
      txId,
      index,
      to,
      displayUnits: units % scale === 0n ? units / scale : undefined,
    }));
    for (const position of await findKeptDust(reader.database.queries, network.id, coin.symbol, candidates)) {
      const kept = part[position];
      if (kept) dust.delete(kept);
    }
  }
  return { kept: transfers.filter((transfer) => !dust.has(transfer)), dust: dust.size };
}
