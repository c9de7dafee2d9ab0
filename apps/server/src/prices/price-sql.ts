import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { PastPrice, PricedToken, TokenReport } from './price.ts';
import { PRICE_DECIMALS } from './price.ts';

const MAX_HISTORY_ROWS = 1_000;
const MAX_PRUNED_ROWS = 1_000;

function priceUnitsOf(usd: string): bigint {
  return requireDecimal(usd, PRICE_DECIMALS);
}

/** Stores the latest reports. A slower process cannot replace a newer one. */
export async function upsertReports(tx: Tx, reports: readonly TokenReport<string>[]): Promise<void> {
  if (reports.length === 0) return;
  const inOrder = reports.toSorted((left, right) =>
    `${left.source} ${left.token}` < `${right.source} ${right.token}` ? -1 : 1,
  );
  await tx
    .insertInto('price_reports')
    .values(
      inOrder.map((report) => ({
        source: report.source,
        token: report.token,
        usd: formatDecimal(report.priceUnits, PRICE_DECIMALS),
        observed_at: report.at,
        changed_at: report.at,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['source', 'token'])
        .doUpdateSet((row) => ({
          usd: row.ref('excluded.usd'),
          observed_at: row.ref('excluded.observed_at'),
          changed_at: sql<Date>`case when price_reports.usd = excluded.usd
            then coalesce(price_reports.changed_at, price_reports.observed_at) else excluded.observed_at end`,
        }))
        .whereRef('excluded.observed_at', '>=', 'price_reports.observed_at'),
    )
    .execute();
}

export async function readReports(queries: Queries, tokens: readonly PricedToken[]): Promise<TokenReport[]> {
  const rows = await queries
    .selectFrom('price_reports')
    .select(['source', 'token', 'usd', 'observed_at'])
    .where('token', 'in', tokens)
    .execute();
  return rows.map((row) => ({
    source: row.source,
    // Certain: the statement selects only priced tokens.
    token: row.token as PricedToken,
    priceUnits: priceUnitsOf(row.usd),
    at: row.observed_at,
  }));
}

/** `changedAt`: since when the source has reported this price, unchanged. */
export type StoredReport<Asset extends string> = TokenReport<Asset> & { changedAt: Date };
type PriceFactRow = { source: string | null; token: string; usd: string; at: Date; changedAt: Date };

/** The last report of every source about tokens, and their past prices since a moment. */
export async function readPriceFacts<Asset extends string>(
  queries: Queries,
  tokens: readonly Asset[],
  since: Date,
): Promise<{ reports: StoredReport<Asset>[]; history: PastPrice<Asset>[] }> {
  const { rows } = await sql<PriceFactRow>`
    select source, token, usd, observed_at as at, coalesce(changed_at, observed_at) as "changedAt" from price_reports where token = any(${tokens}::text[])
    union all
    (select null, token, usd, decided_at, decided_at from price_history where token = any(${tokens}::text[]) and decided_at >= ${since}
      order by decided_at desc limit ${MAX_HISTORY_ROWS})`.execute(queries);
  const reports: StoredReport<Asset>[] = [];
  const history: PastPrice<Asset>[] = [];
  for (const { source, usd, at, changedAt, ...row } of rows) {
    // Certain: the statement selects only these.
    const token = row.token as Asset;
    const priceUnits = priceUnitsOf(usd);
    if (source === null) history.push({ token, priceUnits, decidedAt: at });
    else reports.push({ source, token, priceUnits, at, changedAt });
  }
  return { reports, history };
}

/** Adds a price to the history, unless there is one from `unlessSince` or later. */
export async function appendHistory(tx: Tx, past: PastPrice<string>, unlessSince: Date): Promise<void> {
  const usd = formatDecimal(past.priceUnits, PRICE_DECIMALS);
  await sql`
    insert into price_history (token, usd, decided_at)
    select ${past.token}::text, ${usd}::numeric, ${past.decidedAt}::timestamptz
    where not exists (select from price_history where token = ${past.token} and decided_at > ${unlessSince})
    on conflict do nothing`.execute(tx);
}

export async function pruneHistory(tx: Tx, before: Date): Promise<void> {
  await sql`
    delete from price_history where (token, decided_at) in (
      select token, decided_at from price_history where decided_at < ${before} limit ${MAX_PRUNED_ROWS})`.execute(tx);
}
