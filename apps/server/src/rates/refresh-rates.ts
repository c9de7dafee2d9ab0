import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Tx } from '../db/transaction.ts';
import { raiseRarely } from '../audit/raise-alarms.ts';
import type { AskContext } from '../prices/ask-source.ts';
import { askSource } from '../prices/ask-source.ts';
import type { TokenReport } from '../prices/price.ts';
import { decideUsdtRate, quantizePrice, ratioOfUnits } from '../prices/price.ts';
import { appendHistory, readPriceFacts, readReports, upsertReports } from '../prices/price-sql.ts';
import { multiplyRatios } from '../prices/ratio.ts';
import type { RateDecision, RatedCurrency, RateFacts } from './rate.ts';
import { decideRate, findAgreedRate, RATE_JUMP_WINDOW_MS, RATED_CURRENCIES } from './rate.ts';
import type { RateReport, RateSource } from './rate-source.ts';

const HISTORY_INTERVAL_MS = 10_000;
/** A rate that is missing for less is a source that failed once. */
const PATIENCE_MS = 300_000;
/** An alarm is raised again while its cause lasts, and is over after two hours without. */
const ALARM_EVERY_MS = 3_600_000;

type RefreshRatesContext = AskContext & { database: Database; sources: readonly RateSource[] };

export type RefreshedRates = { failedSources: string[]; decisions: RateDecision[] };

/** Refreshes all rates: reads the sources in parallel, stores reports and medians, and raises alarms. */
export function createRefreshRates(context: RefreshRatesContext): () => Promise<RefreshedRates> {
  const missingSince = new Map<RatedCurrency, number>();
  const restUntil = new Map<string, number>();
  return async () => {
    const due = context.sources.filter(({ name }) => (restUntil.get(name) ?? 0) <= context.clock.nowMs());
    const asked = await Promise.all(due.map((source) => askSource(context, source, source.fetchReports)));
    const now = new Date(context.clock.nowMs());
    for (const [position, { name, intervalMs }] of due.entries()) {
      if (intervalMs !== undefined && asked[position]?.failed === false)
        restUntil.set(name, now.getTime() + intervalMs);
    }
    const decisions = await inTransaction(context.database, async (tx) => {
      const usdt = decideUsdtRate(await readReports(tx, ['USDT']), now);
      const reports = asked.flatMap((one) => one.reports.flatMap((report) => reportInUsd(one.source, report, usdt)));
      await upsertReports(tx, reports);
      const since = new Date(now.getTime() - RATE_JUMP_WINDOW_MS);
      const facts = await readPriceFacts(tx, RATED_CURRENCIES, since);
      await storeHistory(tx, facts, now);
      const decided = RATED_CURRENCIES.map((currency) => decideRate(currency, facts, now));
      await raiseMissing(tx, findMissing(context.sources, decided, missingSince, now), now);
      return decided;
    });
    return { failedSources: asked.filter((one) => one.failed).map((one) => one.source), decisions };
  };
}

/** A report against USDT is converted with the older time of report and price. */
function reportInUsd(
  source: string,
  { currency, quote, price, at }: RateReport,
  usdt: { priceUnits: bigint; at: Date } | undefined,
): TokenReport<RatedCurrency>[] {
  if (quote === 'USDT' && !usdt) return [];
  const isConverted = quote === 'USDT' && usdt;
  const priceUnits = quantizePrice(isConverted ? multiplyRatios(price, ratioOfUnits(usdt.priceUnits)) : price);
  if (priceUnits === undefined) return [];
  return [{ source, token: currency, priceUnits, at: isConverted && usdt.at < at ? usdt.at : at }];
}

async function storeHistory(tx: Tx, facts: RateFacts, now: Date): Promise<void> {
  const unlessSince = new Date(now.getTime() - HISTORY_INTERVAL_MS);
  for (const currency of RATED_CURRENCIES) {
    const priceUnits = findAgreedRate(currency, facts, now);
    if (priceUnits !== undefined) await appendHistory(tx, { token: currency, priceUnits, decidedAt: now }, unlessSince);
  }
}

type Missing = Extract<RateDecision, { available: false }>;

/** Currencies that two configured sources report, and that have had no rate for a while. */
function findMissing(
  sources: readonly RateSource[],
  decisions: readonly RateDecision[],
  missingSince: Map<RatedCurrency, number>,
  now: Date,
): Missing[] {
  const missing: Missing[] = [];
  for (const decision of decisions) {
    const { currency } = decision;
    const isOn = sources.filter((source) => source.currencies.includes(currency)).length > 1;
    if (decision.available || !isOn || decision.reason === 'currency-off') {
      missingSince.delete(currency);
      continue;
    }
    const since = missingSince.get(currency) ?? now.getTime();
    missingSince.set(currency, since);
    if (now.getTime() - since >= PATIENCE_MS) missing.push(decision);
  }
  return missing;
}

async function raiseMissing(tx: Tx, missing: readonly Missing[], now: Date): Promise<void> {
  for (const { currency, reason } of missing) {
    const alarm = { kind: 'rate-unavailable', subject: `currency:${currency}`, details: { reason } } as const;
    await raiseRarely(tx, now, alarm, ALARM_EVERY_MS);
  }
}
