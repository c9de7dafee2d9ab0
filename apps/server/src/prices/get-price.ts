import type { Queries } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceDecision, PricedToken } from './price.ts';
import { decidePrice, JUMP_WINDOW_MS } from './price.ts';
import { readHistory, readReports } from './price-sql.ts';

/** The price of a token at this moment, from what the sources said last. */
export async function getPrice(queries: Queries, clock: Clock, token: PricedToken): Promise<PriceDecision> {
  const now = new Date(clock.nowMs());
  const [reports, history] = await Promise.all([
    readReports(queries, [token]),
    readHistory(queries, [token], new Date(now.getTime() - JUMP_WINDOW_MS)),
  ]);
  return decidePrice(token, reports, history, now);
}
