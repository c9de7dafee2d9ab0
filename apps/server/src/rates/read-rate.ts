import type { Queries } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { readPriceFacts } from '../prices/price-sql.ts';
import type { RateDecision, RatedCurrency, RateFacts } from './rate.ts';
import { decideRate, RATE_JUMP_WINDOW_MS, RATED_CURRENCIES } from './rate.ts';

/** How long facts are kept in memory. Their ages still count from now. */
const KEPT_MS = 5_000;

export type ReadRate = (currency: RatedCurrency) => Promise<RateDecision>;

/** Decides rates from facts that one statement reads at most every five seconds, and only when one is asked for. */
export function createReadRate(queries: Queries, clock: Clock): ReadRate {
  let kept: { atMs: number; facts: Promise<RateFacts> } | undefined;
  const readFacts = (nowMs: number) => {
    if (kept && nowMs >= kept.atMs && nowMs - kept.atMs < KEPT_MS) return kept.facts;
    const facts = readPriceFacts(queries, RATED_CURRENCIES, new Date(nowMs - RATE_JUMP_WINDOW_MS));
    const mine = { atMs: nowMs, facts };
    kept = mine;
    facts.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return facts;
  };
  return async (currency) => {
    const nowMs = clock.nowMs();
    return decideRate(currency, await readFacts(nowMs), new Date(nowMs));
  };
}
