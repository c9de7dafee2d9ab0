import { z } from 'zod';
import { invertRatio, parseRatio } from '../../prices/ratio.ts';
import { checkAnswer } from '../../prices/sources/price-answer.ts';
import { RATED_CURRENCIES } from '../rate.ts';
import type { RateReport, RateSource } from '../rate-source.ts';
import { fetchExactJson } from './rate-request.ts';

/** Open Exchange Rates, with the operator's own app id in its URL: units of each currency for one USD, with their time. */
const NAME = 'openexchangerates';
const INTERVAL_MS = 600_000;

const table = z.object({
  timestamp: z.string().regex(/^\d{10}$/),
  base: z.literal('USD'),
  rates: z.record(z.string(), z.string()),
});

export function createOpenExchangeRates(url: string): RateSource {
  return {
    name: NAME,
    currencies: RATED_CURRENCIES,
    intervalMs: INTERVAL_MS,
    fetchReports: async (signal) => {
      const { timestamp, rates } = checkAnswer(NAME, table, await fetchExactJson(NAME, url, signal));
      const at = new Date(Number(timestamp) * 1_000);
      return RATED_CURRENCIES.flatMap((currency): RateReport[] => {
        const perUsd = parseRatio(rates[currency] ?? '');
        return perUsd ? [{ currency, quote: 'USD', price: invertRatio(perUsd), at }] : [];
      });
    },
  };
}
