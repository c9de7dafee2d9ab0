import { PRICED_TOKENS } from '../prices/price.ts';
import type { PriceSource } from '../prices/price-source.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

const TIMEOUT_MS = 5_000;
/** How many sources must agree on a price. */
const NEEDED = 2;

async function ask(source: PriceSource): Promise<string | undefined> {
  try {
    await source.fetchReports(PRICED_TOKENS, AbortSignal.timeout(TIMEOUT_MS));
    return undefined;
  } catch (cause) {
    return `${source.name}: ${reasonOf(cause)}`;
  }
}

/** Examines the sources of prices: with fewer than two, coins that are no stablecoins are not offered. */
export async function examinePrices(sources: readonly PriceSource[]): Promise<Finding> {
  const faults = (await Promise.all(sources.map(ask))).filter((fault) => fault !== undefined);
  const answering = sources.length - faults.length;
  const mend = 'Let this host reach the addresses of COUNTERFOIL_PRICE_BINANCE_URL and the others.';
  if (answering < NEEDED) return wrong('prices', `Too few sources of prices answer. ${faults.join('; ')}`, mend);
  return faults.length > 0
    ? doubtful('prices', `Not every source of prices answers. ${faults.join('; ')}`, mend)
    : fine('prices', `${answering} sources of prices answer.`);
}
