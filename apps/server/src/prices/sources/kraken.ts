import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson } from '../../lib/fetch-json.ts';
import type { PricedToken } from '../price.ts';
import type { PriceReport, PriceSource } from '../price-source.ts';
import { PriceSourceError } from '../price-source.ts';
import { findMiddlePrice } from './middle-price.ts';
import { checkAnswer, MAX_ANSWER_BYTES, REQUEST_HEADERS, REQUEST_TIMEOUT_MS } from './price-answer.ts';

const NAME = 'kraken';

/** Kraken answers under longer names: with X before the coin, Z before the currency, or both. */
const PAIRS: Record<PricedToken, { asked: string; answered: readonly string[] }> = {
  BNB: { asked: 'BNBUSD', answered: ['BNBUSD'] },
  ETH: { asked: 'ETHUSD', answered: ['XETHZUSD', 'ETHUSD'] },
  SOL: { asked: 'SOLUSD', answered: ['SOLUSD'] },
  TRX: { asked: 'TRXUSD', answered: ['TRXUSD'] },
  POL: { asked: 'POLUSD', answered: ['POLUSD'] },
  AVAX: { asked: 'AVAXUSD', answered: ['AVAXUSD'] },
  USDT: { asked: 'USDTUSD', answered: ['USDTZUSD', 'USDTUSD'] },
  USDC: { asked: 'USDCUSD', answered: ['USDCUSD'] },
};

const MAX_SHOWN_FAULT = 100;

const refusal = z.object({ error: z.array(z.string()).min(1) });
const side = z.tuple([z.string()], z.unknown()).transform(([price]) => price);
const book = z.record(z.string(), z.object({ a: side, b: side }));
const ticker = z.object({ result: book });

/** The best offers of pairs; one unknown pair refuses the whole request. */
export async function fetchKrakenOffers(
  baseUrl: string,
  pairs: string,
  signal: AbortSignal,
): Promise<z.output<typeof book>> {
  const answer = await fetchJson(`${baseUrl}/0/public/Ticker?pair=${pairs}`, {
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    headers: REQUEST_HEADERS,
    signal,
  });
  // Kraken sends refusals with HTTP status 200.
  const refused = refusal.safeParse(answer);
  if (refused.success) {
    throw new PriceSourceError(NAME, `refused: ${refused.data.error.join(', ').slice(0, MAX_SHOWN_FAULT)}`);
  }
  return checkAnswer(NAME, ticker, answer).result;
}

export function createKrakenSource(baseUrl: string, clock: Clock): PriceSource {
  return {
    name: NAME,
    fetchReports: async (tokens, signal) => {
      if (tokens.length === 0) return [];
      const pairs = tokens.map((token) => PAIRS[token].asked).join(',');
      const at = new Date(clock.nowMs());
      const result = await fetchKrakenOffers(baseUrl, pairs, signal);
      return tokens.flatMap((token): PriceReport[] => {
        const name = PAIRS[token].answered.find((one) => Object.hasOwn(result, one));
        const offers = name === undefined ? undefined : result[name];
        const price = offers && findMiddlePrice(NAME, offers);
        return price ? [{ token, quote: 'USD', price, at }] : [];
      });
    },
  };
}
