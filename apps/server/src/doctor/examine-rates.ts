import { askRateSources, compareRates } from '../rates/rate-check.ts';
import type { RateSource } from '../rates/rate-source.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf } from './finding.ts';

const MEND =
  'Let this host reach the addresses of COUNTERFOIL_RATE_COINBASE_URL and the others; rate check shows each.';

/** Currencies are offered only with rates from two sources; USD needs none. */
export async function examineRates(sources: readonly RateSource[]): Promise<Finding> {
  const checked = await askRateSources(sources, reasonOf);
  const faults = checked.flatMap(({ source, fault }) => (fault === undefined ? [] : [`${source}: ${fault}`]));
  const currencies = compareRates(checked);
  const [on, off] = [true, false].map((wanted) =>
    currencies.flatMap((one) => (one.on === wanted ? [one.currency] : [])),
  );
  const list = `On: ${on?.join(', ') || 'none'}. Off, with fewer than two sources: ${off?.join(', ') || 'none'}.`;
  return faults.length > 0
    ? doubtful('rates', `Not every source of exchange rates answers. ${faults.join('; ')}. ${list}`, MEND)
    : fine('rates', `${checked.length} sources of exchange rates answer. ${list}`);
}
