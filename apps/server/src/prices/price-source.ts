import type { PricedToken } from './price.ts';
import type { Ratio } from './ratio.ts';

export type PriceSource = {
  name: string;
  /** Reports prices of listed tokens; rejects when the exchange fails or its answer is invalid. */
  fetchReports(tokens: readonly PricedToken[], signal: AbortSignal): Promise<PriceReport[]>;
};

export type PriceReport = {
  token: PricedToken;
  quote: 'USD' | 'USDT';
  price: Ratio;
  /** The source's own time, otherwise the time of the request. */
  at: Date;
};

export class PriceSourceError extends Error {
  constructor(source: string, fault: string) {
    super(`${source} ${fault}`);
    this.name = 'PriceSourceError';
  }
}
