import type { Clock } from '../../lib/clock.ts';
import { invertRatio } from '../../prices/ratio.ts';
import { fetchKrakenOffers } from '../../prices/sources/kraken.ts';
import { findMiddlePrice } from '../../prices/sources/middle-price.ts';
import type { RatedCurrency } from '../rate.ts';
import type { RateReport, RateSource } from '../rate-source.ts';

/** Kraken's own order books. It answers under longer names, as for tokens. */
const NAME = 'kraken';

type Pair = { asked: string; answered: readonly string[]; perUsd: boolean };
const PAIRS: Partial<Record<RatedCurrency, Pair>> = {
  EUR: { asked: 'EURUSD', answered: ['ZEURZUSD', 'EURUSD'], perUsd: false },
  GBP: { asked: 'GBPUSD', answered: ['ZGBPZUSD', 'GBPUSD'], perUsd: false },
  AUD: { asked: 'AUDUSD', answered: ['ZAUDZUSD', 'AUDUSD'], perUsd: false },
  CHF: { asked: 'USDCHF', answered: ['ZUSDZCHF', 'USDCHF'], perUsd: true },
  JPY: { asked: 'USDJPY', answered: ['ZUSDZJPY', 'USDJPY'], perUsd: true },
  CAD: { asked: 'USDCAD', answered: ['ZUSDZCAD', 'USDCAD'], perUsd: true },
};
const LISTED = Object.entries(PAIRS) as [RatedCurrency, Pair][];

export function createKrakenRates(baseUrl: string, clock: Clock): RateSource {
  return {
    name: NAME,
    currencies: LISTED.map(([currency]) => currency),
    fetchReports: async (signal) => {
      const at = new Date(clock.nowMs());
      const result = await fetchKrakenOffers(baseUrl, LISTED.map(([, { asked }]) => asked).join(','), signal);
      return LISTED.flatMap(([currency, { answered, perUsd }]): RateReport[] => {
        const name = answered.find((one) => Object.hasOwn(result, one));
        const offers = name === undefined ? undefined : result[name];
        const middle = offers && findMiddlePrice(NAME, offers);
        return middle ? [{ currency, quote: 'USD', price: perUsd ? invertRatio(middle) : middle, at }] : [];
      });
    },
  };
}
