import type { Clock } from '../lib/clock.ts';
import type { RateSource } from './rate-source.ts';
import { createBinanceRates } from './sources/binance-rates.ts';
import { createCoinbaseRates } from './sources/coinbase-rates.ts';
import { createEcbBounds } from './sources/ecb.ts';
import { createIndependentReserveRates } from './sources/independent-reserve.ts';
import { createKrakenRates } from './sources/kraken-rates.ts';
import { createOpenExchangeRates } from './sources/open-exchange-rates.ts';

export type RateUrls = {
  binance: string;
  kraken: string;
  coinbase: string;
  independentReserve: string;
  ecb: string;
  openExchangeRates: string | undefined;
};

/** All sources, and the ECB's bounds as the last. */
export function createRateSources(urls: RateUrls, clock: Clock): RateSource[] {
  return [
    createBinanceRates(urls.binance, clock),
    createKrakenRates(urls.kraken, clock),
    createCoinbaseRates(urls.coinbase, clock),
    createIndependentReserveRates(urls.independentReserve, clock),
    ...(urls.openExchangeRates === undefined ? [] : [createOpenExchangeRates(urls.openExchangeRates)]),
    createEcbBounds(urls.ecb),
  ];
}
