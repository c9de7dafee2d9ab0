import type { Clock } from '../lib/clock.ts';
import type { PriceSource } from './price-source.ts';
import { createBinanceSource } from './sources/binance.ts';
import { createCoinbaseSource } from './sources/coinbase.ts';
import { createKrakenSource } from './sources/kraken.ts';

export type PriceUrls = { binance: string; kraken: string; coinbase: string };

export function createPriceSources({ binance, kraken, coinbase }: PriceUrls, clock: Clock): PriceSource[] {
  return [createBinanceSource(binance, clock), createKrakenSource(kraken, clock), createCoinbaseSource(coinbase)];
}
