import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { invertRatio, parseRatio } from '../../prices/ratio.ts';
import { checkAnswer } from '../../prices/sources/price-answer.ts';
import type { RatedCurrency } from '../rate.ts';
import type { RateReport, RateSource } from '../rate-source.ts';
import { fetchExactJson } from './rate-request.ts';

/** The rates at which Independent Reserve converts its customers' money, in either direction, without a time. */
const NAME = 'independent-reserve';
const CURRENCIES: readonly RatedCurrency[] = ['AUD', 'SGD'];

const table = z.array(
  z.object({
    CurrencyCodeA: z.string().toUpperCase(),
    CurrencyCodeB: z.string().toUpperCase(),
    Rate: z.string(),
  }),
);

export function createIndependentReserveRates(baseUrl: string, clock: Clock): RateSource {
  return {
    name: NAME,
    currencies: CURRENCIES,
    fetchReports: async (signal) => {
      const at = new Date(clock.nowMs());
      const answer = await fetchExactJson(NAME, `${baseUrl}/Public/GetFxRates`, signal);
      const pairs = checkAnswer(NAME, table, answer);
      return CURRENCIES.flatMap((currency): RateReport[] => {
        const direct = pairs.find((one) => one.CurrencyCodeA === currency && one.CurrencyCodeB === 'USD');
        const inverse = pairs.find((one) => one.CurrencyCodeA === 'USD' && one.CurrencyCodeB === currency);
        const ratio = parseRatio((direct ?? inverse)?.Rate ?? '');
        return ratio ? [{ currency, quote: 'USD', price: direct ? ratio : invertRatio(ratio), at }] : [];
      });
    },
  };
}
