import { quantizePrice } from '../prices/price.ts';
import type { RatedCurrency } from './rate.ts';
import { BOUND_SOURCE, RATED_CURRENCIES } from './rate.ts';
import type { RateReport, RateSource } from './rate-source.ts';

const TIMEOUT_MS = 15_000;
const NEEDED = 2;

export type CheckedSource = { source: string; reports: readonly RateReport[]; fault: string | undefined };

/** Asks every source once, and stores nothing. */
export function askRateSources(
  sources: readonly RateSource[],
  reasonOf: (cause: unknown) => string,
): Promise<CheckedSource[]> {
  return Promise.all(
    sources.map(async ({ name: source, fetchReports }) => {
      try {
        const reports = await fetchReports(AbortSignal.timeout(TIMEOUT_MS));
        return { source, reports, fault: reports.length === 0 ? 'it answers without a rate' : undefined };
      } catch (cause) {
        return { source, reports: [], fault: reasonOf(cause) };
      }
    }),
  );
}

type CheckedRate = { source: string; units: bigint; at: Date; quote: RateReport['quote'] };

export type CheckedCurrency = {
  currency: RatedCurrency;
  /** On while two sources report it. */
  on: boolean;
  reference: bigint | undefined;
  rates: CheckedRate[];
};

/** What the sources say about each currency, beside the central bank's reference rate. */
export function compareRates(checked: readonly CheckedSource[]): CheckedCurrency[] {
  return RATED_CURRENCIES.map((currency) => {
    const all = checked.flatMap(({ source, reports }) =>
      reports.flatMap((report): CheckedRate[] => {
        const units = report.currency === currency ? quantizePrice(report.price) : undefined;
        return units === undefined ? [] : [{ source, units, at: report.at, quote: report.quote }];
      }),
    );
    const rates = all.filter(({ source }) => source !== BOUND_SOURCE);
    const reference = all.find(({ source }) => source === BOUND_SOURCE)?.units;
    return { currency, on: rates.length >= NEEDED, reference, rates };
  });
}
