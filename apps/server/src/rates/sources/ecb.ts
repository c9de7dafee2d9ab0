import { fetchText } from '../../lib/fetch-json.ts';
import { PriceSourceError } from '../../prices/price-source.ts';
import { invertRatio, multiplyRatios, parseRatio } from '../../prices/ratio.ts';
import { BOUND_SOURCE, RATED_CURRENCIES } from '../rate.ts';
import type { RateReport, RateSource } from '../rate-source.ts';
import { RATE_REQUEST } from './rate-request.ts';

/** The European Central Bank's daily file: units of each currency for one euro, on one day. */

const INTERVAL_MS = 3_600_000;
const DAY = /<Cube time=['"](\d{4}-\d{2}-\d{2})['"]\s*>/g;
const RATE = /<Cube currency=['"]([A-Z]{3})['"] rate=['"]([\d.]{1,20})['"]\s*\/>/g;
/** Before the banks' daily call, so that the time is never ahead. */
const TIME = 'T12:00:00Z';

function readEcbFile(text: string): RateReport[] {
  const [day, ...others] = [...text.matchAll(DAY)];
  const perEuro = new Map([...text.matchAll(RATE)].map(([, currency = '', rate = '']) => [currency, parseRatio(rate)]));
  const usdPerEuro = perEuro.get('USD');
  const at = new Date(`${day?.[1] ?? ''}${TIME}`);
  if (!usdPerEuro || others.length > 0 || Number.isNaN(at.getTime())) {
    throw new PriceSourceError(BOUND_SOURCE, 'answered in an unknown shape.');
  }
  return RATED_CURRENCIES.flatMap((currency): RateReport[] => {
    if (currency === 'EUR') return [{ currency, quote: 'USD', price: usdPerEuro, at }];
    const rate = perEuro.get(currency);
    return rate ? [{ currency, quote: 'USD', price: multiplyRatios(usdPerEuro, invertRatio(rate)), at }] : [];
  });
}

export function createEcbBounds(baseUrl: string): RateSource {
  const url = `${baseUrl}/stats/eurofxref/eurofxref-daily.xml`;
  return {
    name: BOUND_SOURCE,
    currencies: [],
    intervalMs: INTERVAL_MS,
    fetchReports: async (signal) =>
      readEcbFile(
        await fetchText(url, { ...RATE_REQUEST, signal, headers: { ...RATE_REQUEST.headers, accept: '*/*' } }),
      ),
  };
}
