import { z } from 'zod';
import { FetchError, fetchJson } from '../../lib/fetch-json.ts';
import type { PricedToken } from '../price.ts';
import type { PriceReport, PriceSource } from '../price-source.ts';
import { checkAnswer, MAX_ANSWER_BYTES, priceText, REQUEST_HEADERS, REQUEST_TIMEOUT_MS } from './price-answer.ts';

const NAME = 'coinbase';
/** Coinbase's products by token. It treats USDC as USD, so USDC's price would not show its peg. */
const PRODUCTS: Partial<Record<PricedToken, string>> = {
  BNB: 'BNB-USD',
  ETH: 'ETH-USD',
  SOL: 'SOL-USD',
  POL: 'POL-USD',
  AVAX: 'AVAX-USD',
  USDT: 'USDT-USD',
};
const NOT_FOUND = 404;

/** Coinbase's ticker: price and time of the last trade. */
const ticker = z.object({ price: priceText, time: z.iso.datetime().transform((text) => new Date(text)) });

async function fetchReport(
  baseUrl: string,
  token: PricedToken,
  product: string,
  signal: AbortSignal,
): Promise<PriceReport[]> {
  try {
    const answer = await fetchJson(`${baseUrl}/products/${product}/ticker`, {
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      headers: REQUEST_HEADERS,
      signal,
    });
    const { price, time } = checkAnswer(NAME, ticker, answer);
    return [{ token, quote: 'USD', price, at: time }];
  } catch (cause) {
    if (cause instanceof FetchError && cause.status === NOT_FOUND) return [];
    throw cause;
  }
}

export function createCoinbaseSource(baseUrl: string): PriceSource {
  return {
    name: NAME,
    fetchReports: async (tokens, signal) => {
      const asked = await Promise.allSettled(
        tokens.flatMap((token) => {
          const product = PRODUCTS[token];
          return product === undefined ? [] : [fetchReport(baseUrl, token, product, signal)];
        }),
      );
      const reports = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const failed = asked.find((one) => one.status === 'rejected');
      // Other products count even if one failed; its error is thrown only when there are none.
      if (failed && reports.length === 0) throw failed.reason;
      return reports;
    },
  };
}
