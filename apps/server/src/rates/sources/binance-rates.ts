import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson } from '../../lib/fetch-json.ts';
import { invertRatio } from '../../prices/ratio.ts';
import { findMiddlePrice } from '../../prices/sources/middle-price.ts';
import { checkAnswer } from '../../prices/sources/price-answer.ts';
import type { RatedCurrency } from '../rate.ts';
import type { RateReport, RateSource } from '../rate-source.ts';
import { RATE_REQUEST } from './rate-request.ts';

/** Binance's own order books, against USDT. It refuses the whole call if one symbol is not listed. */
const NAME = 'binance';

type Pair = { symbol: string; perUsdt: boolean };
const PAIRS: Partial<Record<RatedCurrency, Pair>> = {
  EUR: { symbol: 'EURUSDT', perUsdt: false },
  BRL: { symbol: 'USDTBRL', perUsdt: true },
  TRY: { symbol: 'USDTTRY', perUsdt: true },
};
const LISTED = Object.entries(PAIRS) as [RatedCurrency, Pair][];

const offers = z.array(z.object({ symbol: z.string(), bidPrice: z.string(), askPrice: z.string() }));

export function createBinanceRates(baseUrl: string, clock: Clock): RateSource {
  return {
    name: NAME,
    currencies: LISTED.map(([currency]) => currency),
    fetchReports: async (signal) => {
      const symbols = encodeURIComponent(JSON.stringify(LISTED.map(([, { symbol }]) => symbol)));
      const at = new Date(clock.nowMs());
      const url = `${baseUrl}/api/v3/ticker/bookTicker?symbols=${symbols}`;
      const answer = checkAnswer(NAME, offers, await fetchJson(url, { ...RATE_REQUEST, signal }));
      const bySymbol = new Map(answer.map((one) => [one.symbol, one]));
      return LISTED.flatMap(([currency, { symbol, perUsdt }]): RateReport[] => {
        const found = bySymbol.get(symbol);
        const middle = found && findMiddlePrice(NAME, { a: found.askPrice, b: found.bidPrice });
        return middle ? [{ currency, quote: 'USDT', price: perUsdt ? invertRatio(middle) : middle, at }] : [];
      });
    },
  };
}
