import type { PricedToken } from '../prices/price.ts';
import { PRICED_TOKENS } from '../prices/price.ts';
import type { PriceSource } from '../prices/price-source.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

const TIMEOUT_MS = 15_000;
/** Sources that must agree on a price. */
const NEEDED = 2;

type Answer = { tokens: readonly PricedToken[]; fault?: string };

async function ask(source: PriceSource): Promise<Answer> {
  try {
    const reports = await source.fetchReports(PRICED_TOKENS, AbortSignal.timeout(TIMEOUT_MS));
    const tokens = [...new Set(reports.map(({ token }) => token))];
    return tokens.length > 0 ? { tokens } : { tokens, fault: `${source.name}: it answers without a price` };
  } catch (cause) {
    return { tokens: [], fault: `${source.name}: ${reasonOf(cause)}` };
  }
}

/** Tokens with too few price sources. */
function findUnpriced(answers: readonly Answer[]): PricedToken[] {
  return PRICED_TOKENS.filter((token) => answers.filter(({ tokens }) => tokens.includes(token)).length < NEEDED);
}

/** A coin that is not a stablecoin is offered only with prices from two sources. */
export async function examinePrices(sources: readonly PriceSource[]): Promise<Finding> {
  const answers = await Promise.all(sources.map(ask));
  const faults = answers.map(({ fault }) => fault).filter((fault) => fault !== undefined);
  const answering = sources.length - faults.length;
  const mend = 'Let this host reach the addresses of COUNTERFOIL_PRICE_BINANCE_URL and the others.';
  if (answering < NEEDED) return wrong('prices', `Too few sources of prices answer. ${faults.join('; ')}`, mend);
  if (faults.length > 0) return doubtful('prices', `Not every source of prices answers. ${faults.join('; ')}`, mend);
  const unpriced = findUnpriced(answers);
  return unpriced.length > 0
    ? doubtful(
        'prices',
        `Fewer than ${NEEDED} sources have a price of ${unpriced.join(', ')}: it is not offered.`,
        mend,
      )
    : fine('prices', `${answering} sources of prices answer.`);
}
