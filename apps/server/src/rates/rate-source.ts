import type { Ratio } from '../prices/ratio.ts';
import type { RatedCurrency } from './rate.ts';

export type RateSource = {
  name: string;
  /** Currencies that it reports, if it answers. */
  currencies: readonly RatedCurrency[];
  /** How long it is left alone after it answered, where it publishes rarely. */
  intervalMs?: number;
  /** Rejects when the source fails or its answer is invalid. */
  fetchReports: (signal: AbortSignal) => Promise<RateReport[]>;
};

export type RateReport = {
  currency: RatedCurrency;
  quote: 'USD' | 'USDT';
  /** Of one unit of the currency. */
  price: Ratio;
  /** The source's own time, otherwise the time of the request. */
  at: Date;
};
