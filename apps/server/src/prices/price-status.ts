import type { PastPrice, PriceDecision, PricedToken, TokenReport } from './price.ts';
import { decidePrice, MAX_REPORT_AGE_MS, MAX_REPORT_AHEAD_MS } from './price.ts';

/** The price rules at one moment, source by source, for operators. */

/** Why a report is not part of a price; the price's own reason where the report itself is good. */
type UnusedReason = 'no-report' | 'too-old' | 'ahead-of-clock' | 'outlier' | PriceFault;
type PriceFault = Extract<PriceDecision, { available: false }>['reason'];

type SourceStatus = {
  source: string;
  report: { priceUnits: bigint; at: Date } | undefined;
  unused: UnusedReason | undefined;
};

export type PriceStatus = { token: PricedToken; decision: PriceDecision; sources: SourceStatus[] };

function judgeReport(report: TokenReport | undefined, decision: PriceDecision, now: Date): UnusedReason | undefined {
  if (!report) return 'no-report';
  const ageMs = now.getTime() - report.at.getTime();
  if (ageMs > MAX_REPORT_AGE_MS) return 'too-old';
  if (ageMs < -MAX_REPORT_AHEAD_MS) return 'ahead-of-clock';
  if (!decision.available) return decision.reason;
  return decision.sources.some(({ source }) => source === report.source) ? undefined : 'outlier';
}

/** Judges the last reports of each source; sources without a report are included. */
export function judgePrices(
  tokens: readonly PricedToken[],
  { reports, history }: { reports: readonly TokenReport[]; history: readonly PastPrice[] },
  now: Date,
): PriceStatus[] {
  const names = [...new Set(reports.map(({ source }) => source))].toSorted();
  return tokens.map((token) => {
    const decision = decidePrice(token, reports, history, now);
    const sources = names.map((source) => {
      const report = reports.find((one) => one.source === source && one.token === token);
      return { source, report, unused: judgeReport(report, decision, now) };
    });
    return { token, decision, sources };
  });
}
