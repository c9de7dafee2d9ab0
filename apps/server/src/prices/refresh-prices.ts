import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Answer, AskContext } from './ask-source.ts';
import { askSource } from './ask-source.ts';
import type { PricedToken, TokenReport } from './price.ts';
import { decideUsdtRate, findAgreedMedian, PRICED_TOKENS, quantizePrice, ratioOfUnits } from './price.ts';
import type { PriceReport, PriceSource } from './price-source.ts';
import { appendHistory, pruneHistory, readReports, upsertReports } from './price-sql.ts';
import { multiplyRatios } from './ratio.ts';

const HISTORY_INTERVAL_MS = 10_000;
const HISTORY_KEPT_MS = 600_000;

type RefreshContext = AskContext & { database: Database; sources: readonly PriceSource[] };

/** Stored reports by source, failed sources, and tokens with a median. */
type RefreshedPrices = {
  stored: Record<string, number>;
  failedSources: string[];
  agreedTokens: PricedToken[];
};

type Asked = Answer<PriceReport>;

/** Refreshes all prices: reads the sources in parallel, stores reports and medians; failures stop no other. */
export async function refreshPrices(context: RefreshContext): Promise<RefreshedPrices> {
  const { database, clock, sources } = context;
  const asked = await Promise.all(
    sources.map((source) => askSource(context, source, (signal) => source.fetchReports(PRICED_TOKENS, signal))),
  );
  const now = new Date(clock.nowMs());
  const { stored, agreedTokens } = await inTransaction(database, async (tx) => {
    const written = await storeReports(tx, asked, now);
    return { stored: written, agreedTokens: await storeHistory(tx, now) };
  });
  return {
    stored: Object.fromEntries(
      sources.map(({ name }) => [name, stored.filter((report) => report.source === name).length]),
    ),
    failedSources: asked.filter((one) => one.failed).map((one) => one.source),
    agreedTokens,
  };
}

/** USD prices come first: the rate for prices in USDT is computed from them. */
async function storeReports(tx: Tx, asked: readonly Asked[], now: Date): Promise<TokenReport[]> {
  const inUsd = asked.flatMap(({ source, reports }) => reports.flatMap((report) => priceInUsd(source, report)));
  await upsertReports(tx, inUsd);
  const rate = decideUsdtRate(await readReports(tx, ['USDT']), now);
  if (!rate) return inUsd;
  const converted = asked.flatMap(({ source, reports }) =>
    reports.flatMap((report) => convertedPrice(source, report, rate)),
  );
  await upsertReports(tx, converted);
  return [...inUsd, ...converted];
}

function priceInUsd(source: string, report: PriceReport): TokenReport[] {
  const priceUnits = report.quote === 'USD' ? quantizePrice(report.price) : undefined;
  return priceUnits === undefined ? [] : [{ source, token: report.token, priceUnits, at: report.at }];
}

/** Converts a USDT report to USD, with the older time of report and rate. Reports about USDT are not converted. */
function convertedPrice(source: string, report: PriceReport, rate: { priceUnits: bigint; at: Date }): TokenReport[] {
  if (report.quote !== 'USDT' || report.token === 'USDT') return [];
  const priceUnits = quantizePrice(multiplyRatios(report.price, ratioOfUnits(rate.priceUnits)));
  if (priceUnits === undefined) return [];
  return [{ source, token: report.token, priceUnits, at: report.at < rate.at ? report.at : rate.at }];
}

async function storeHistory(tx: Tx, now: Date): Promise<PricedToken[]> {
  const reports = await readReports(tx, PRICED_TOKENS);
  const unlessSince = new Date(now.getTime() - HISTORY_INTERVAL_MS);
  const agreedTokens: PricedToken[] = [];
  for (const token of PRICED_TOKENS) {
    const median = findAgreedMedian(token, reports, now);
    if (!median) continue;
    await appendHistory(tx, { token, priceUnits: median.priceUnits, decidedAt: now }, unlessSince);
    agreedTokens.push(token);
  }
  await pruneHistory(tx, new Date(now.getTime() - HISTORY_KEPT_MS));
  return agreedTokens;
}
