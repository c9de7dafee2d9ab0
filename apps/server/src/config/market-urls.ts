import type { PriceUrls } from '../prices/create-price-sources.ts';
import type { RateUrls } from '../rates/create-rate-sources.ts';

type Values = {
  COUNTERFOIL_PRICE_BINANCE_URL: string;
  COUNTERFOIL_PRICE_KRAKEN_URL: string;
  COUNTERFOIL_PRICE_COINBASE_URL: string;
  COUNTERFOIL_RATE_COINBASE_URL: string;
  COUNTERFOIL_RATE_INDEPENDENT_RESERVE_URL: string;
  COUNTERFOIL_RATE_ECB_URL: string;
  COUNTERFOIL_RATE_OPENEXCHANGERATES_URL?: string | undefined;
};

export function readPriceUrls(values: Values): PriceUrls {
  return {
    binance: values.COUNTERFOIL_PRICE_BINANCE_URL,
    kraken: values.COUNTERFOIL_PRICE_KRAKEN_URL,
    coinbase: values.COUNTERFOIL_PRICE_COINBASE_URL,
  };
}

export function readRateUrls(values: Values): RateUrls {
  return {
    binance: values.COUNTERFOIL_PRICE_BINANCE_URL,
    kraken: values.COUNTERFOIL_PRICE_KRAKEN_URL,
    coinbase: values.COUNTERFOIL_RATE_COINBASE_URL,
    independentReserve: values.COUNTERFOIL_RATE_INDEPENDENT_RESERVE_URL,
    ecb: values.COUNTERFOIL_RATE_ECB_URL,
    openExchangeRates: values.COUNTERFOIL_RATE_OPENEXCHANGERATES_URL,
  };
}
