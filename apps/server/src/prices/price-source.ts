import type { PricedToken } from './price.ts';
import type { Ratio } from './ratio.ts';

/** What the price rules know of an exchange. */
export type PriceSource = {
  name: string;
  /** What it lists of `tokens`; rejects when it cannot be asked or does not make sense. */
  fetchReports(tokens: readonly PricedToken[], signal: AbortSignal): Promise<PriceReport[]>;
};

export type PriceReport = {
  token: PricedToken;
  /** What `price` is counted in. */
  quote: 'USD' | 'USDT';
  /** Per whole token. */
  price: Ratio;
  /** The time that the source gives, otherwise the time at which it was asked. */
  at: Date;
};

/** A source answered, but not what it should. */
export class PriceSourceError extends Error {
  constructor(source: string, fault: string) {
    super(`${source} ${fault}`);
    this.name = 'PriceSourceError';
  }
}
