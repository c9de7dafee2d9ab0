import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson } from '../../lib/fetch-json.ts';
import type { PricedToken } from '../price.ts';
import type { PriceReport, PriceSource } from '../price-source.ts';
import { checkAnswer, MAX_ANSWER_BYTES, priceText, REQUEST_HEADERS, REQUEST_TIMEOUT_MS } from './price-answer.ts';

/** Binance quotes in USDT and has no price of USDT. It refuses the whole call if one symbol is not listed. */
const NAME = 'binance';
const SYMBOLS: Partial<Record<PricedToken, string>> = {
  BNB: 'BNBUSDT',
  ETH: 'ETHUSDT',
  SOL: 'SOLUSDT',
  TRX: 'TRXUSDT',
  POL: 'POLUSDT',
  AVAX: 'AVAXUSDT',
  USDC: 'USDCUSDT',
};

const tickers = z.array(z.object({ symbol: z.string(), price: priceText }));

export function createBinanceSource(baseUrl: string, clock: Clock): PriceSource {
  return {
    name: NAME,
    fetchReports: async (tokens, signal) => {
      const listed = tokens.flatMap((token) => {
        const symbol = SYMBOLS[token];
        return symbol === undefined ? [] : [{ token, symbol }];
      });
      if (listed.length === 0) return [];
      const symbols = encodeURIComponent(JSON.stringify(listed.map((one) => one.symbol)));
      const at = new Date(clock.nowMs());
      const answer = await fetchJson(`${baseUrl}/api/v3/ticker/price?symbols=${symbols}`, {
        timeoutMs: REQUEST_TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        headers: REQUEST_HEADERS,
        signal,
      });
      const prices = new Map(checkAnswer(NAME, tickers, answer).map((one) => [one.symbol, one.price]));
      return listed.flatMap(({ token, symbol }): PriceReport[] => {
        const price = prices.get(symbol);
        return price ? [{ token, quote: 'USDT', price, at }] : [];
      });
    },
  };
}
