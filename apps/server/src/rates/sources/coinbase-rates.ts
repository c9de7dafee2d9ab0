import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson } from '../../lib/fetch-json.ts';
import { invertRatio, parseRatio } from '../../prices/ratio.ts';
import { checkAnswer } from '../../prices/sources/price-answer.ts';
import { RATED_CURRENCIES } from '../rate.ts';
import type { RateReport, RateSource } from '../rate-source.ts';
import { RATE_REQUEST } from './rate-request.ts';

/** Coinbase's rates for its customers: units of each currency for one USD, without a time. */
const NAME = 'coinbase';

const table = z.object({
  data: z.object({ currency: z.literal('USD'), rates: z.record(z.string(), z.string()) }),
});

export function createCoinbaseRates(baseUrl: string, clock: Clock): RateSource {
  return {
    name: NAME,
    currencies: RATED_CURRENCIES,
    fetchReports: async (signal) => {
      const at = new Date(clock.nowMs());
      const answer = await fetchJson(`${baseUrl}/v2/exchange-rates?currency=USD`, { ...RATE_REQUEST, signal });
      const { rates } = checkAnswer(NAME, table, answer).data;
      return RATED_CURRENCIES.flatMap((currency): RateReport[] => {
        const perUsd = parseRatio(rates[currency] ?? '');
        return perUsd ? [{ currency, quote: 'USD', price: invertRatio(perUsd), at }] : [];
      });
    },
  };
}
