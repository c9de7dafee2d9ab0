import type { RateDecision, RatedCurrency, RateFacts, RateUnavailable } from './rate.ts';
import { BOUND_SOURCE, decideRate, findStaleness, RATED_CURRENCIES } from './rate.ts';

/** The exchange rates at one moment, source by source, for operators. */

/** Why a report is not part of the median; the rate's own reason where the report itself is good. */
type UnusedReason = 'too-old' | 'ahead-of-clock' | 'frozen' | 'outlier' | RateUnavailable;

type SourceStatus = {
  source: string;
  priceUnits: bigint;
  at: Date;
  unused: UnusedReason | undefined;
};

export type RateStatus = {
  currency: RatedCurrency;
  decision: RateDecision;
  reference: { priceUnits: bigint; at: Date } | undefined;
  sources: SourceStatus[];
};

export function judgeRates(facts: RateFacts, now: Date): RateStatus[] {
  return RATED_CURRENCIES.map((currency) => {
    const decision = decideRate(currency, facts, now);
    const reports = facts.reports.filter(({ token }) => token === currency);
    const reference = reports.find(({ source }) => source === BOUND_SOURCE);
    const sources = reports
      .filter(({ source }) => source !== BOUND_SOURCE)
      .map((report): SourceStatus => {
        const { source, priceUnits, at } = report;
        const isUsed = decision.available && decision.sources.some((one) => one.source === source);
        const otherwise = decision.available ? 'outlier' : decision.reason;
        return { source, priceUnits, at, unused: isUsed ? undefined : (findStaleness(report, now) ?? otherwise) };
      });
    return { currency, decision, reference, sources };
  });
}
