import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { PRICED_TOKENS } from '../prices/price.ts';
import { getPrices } from '../prices/get-price.ts';
import type { ChainStanding } from './network-status-sql.ts';
import { readChainStandings } from './network-status-sql.ts';

/** The state of networks and prices, shared by all invoices and viewers. */

export type Surroundings = { chains: ReadonlyMap<string, ChainStanding>; priced: ReadonlySet<string> };

export type ReadSurroundings = () => Promise<Surroundings>;

const CHAINS_MAX_AGE_MS = 1_000;
const PRICES_MAX_AGE_MS = 5_000;

function keepFor<Answer>(clock: Clock, maxAgeMs: number, read: () => Promise<Answer>): () => Promise<Answer> {
  let kept: { answer: Promise<Answer>; atMs: number } | undefined;
  return () => {
    const nowMs = clock.nowMs();
    if (kept && nowMs >= kept.atMs && nowMs - kept.atMs < maxAgeMs) return kept.answer;
    const one = { answer: read(), atMs: nowMs };
    one.answer.catch(() => {
      if (kept === one) kept = undefined;
    });
    kept = one;
    return one.answer;
  };
}

export function createReadSurroundings(database: Database, clock: Clock): ReadSurroundings {
  const chains = keepFor(clock, CHAINS_MAX_AGE_MS, async () => {
    const standings = await readChainStandings(database.queries, clock);
    return new Map(standings.map((standing) => [standing.network, standing]));
  });
  const priced = keepFor(clock, PRICES_MAX_AGE_MS, async () => {
    const prices = await getPrices(database.queries, clock, PRICED_TOKENS);
    return new Set<string>(PRICED_TOKENS.filter((_token, place) => prices[place]?.available));
  });
  return async () => {
    const [standing, available] = await Promise.all([chains(), priced()]);
    return { chains: standing, priced: available };
  };
}
