import type { PricedToken } from './price.ts';
import type { Ratio } from './ratio.ts';

/** A price source: what the price rules know of an exchange. */
export type PriceSource = {
  name: string;
  /**
   * Reports prices for those of `tokens` that the exchange lists; rejects when the exchange cannot be asked or its
   * answer makes no sense.
   */
  fetchReports(tokens: readonly PricedToken[], signal: AbortSignal): Promise<PriceReport[]>;
};

export type PriceReport = {
  token: PricedToken;
  /** The currency of `price`. */
  quote: 'USD' | 'USDT';
  /** Price of one whole token. */
  price: Ratio;
  /** The time that the price source gives, otherwise the time at which it was asked. */
  at: Date;
};

/** Thrown when a price source answers with something that cannot be used. */
export class PriceSourceError extends Error {
  constructor(source: string, fault: string) {
    super(`${source} ${fault}`);
    this.name = 'PriceSourceError';
  }
}
