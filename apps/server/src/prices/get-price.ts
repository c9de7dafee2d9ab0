import type { Queries } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceDecision, PricedToken } from './price.ts';
import { decidePrice, JUMP_WINDOW_MS } from './price.ts';
import { readPriceFacts } from './price-sql.ts';

export async function getPrice(queries: Queries, clock: Clock, token: PricedToken): Promise<PriceDecision> {
  const [price] = await getPrices(queries, clock, [token]);
  if (!price) throw new Error(`Nothing was decided about the price of ${token}.`);
  return price;
}

export async function getPrices(
  queries: Queries,
  clock: Clock,
  tokens: readonly PricedToken[],
): Promise<PriceDecision[]> {
  const now = new Date(clock.nowMs());
  const { reports, history } = await readPriceFacts(queries, tokens, new Date(now.getTime() - JUMP_WINDOW_MS));
  return tokens.map((token) => decidePrice(token, reports, history, now));
}
