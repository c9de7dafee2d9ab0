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
export async function upsertReports(tx: Tx, reports: readonly TokenReport[]): Promise<void> {
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
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['source', 'token'])
        .doUpdateSet((row) => ({ usd: row.ref('excluded.usd'), observed_at: row.ref('excluded.observed_at') }))
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

type PriceFactRow = { source: string | null; token: string; usd: string; at: Date };

/** The last report of every source about tokens, and their past prices since a moment. */
export async function readPriceFacts(
  queries: Queries,
  tokens: readonly PricedToken[],
  since: Date,
): Promise<{ reports: TokenReport[]; history: PastPrice[] }> {
  const { rows } = await sql<PriceFactRow>`
    select source, token, usd, observed_at as at from price_reports where token = any(${tokens}::text[])
    union all
    (select null, token, usd, decided_at from price_history where token = any(${tokens}::text[]) and decided_at >= ${since}
      order by decided_at desc limit ${MAX_HISTORY_ROWS})`.execute(queries);
  const reports: TokenReport[] = [];
  const history: PastPrice[] = [];
  for (const { source, usd, at, ...row } of rows) {
    // Certain: the statement selects only priced tokens.
    const token = row.token as PricedToken;
    const priceUnits = priceUnitsOf(usd);
    if (source === null) history.push({ token, priceUnits, decidedAt: at });
    else reports.push({ source, token, priceUnits, at });
  }
  return { reports, history };
}

/** Adds a price to the history, unless there is one from `unlessSince` or later. */
export async function appendHistory(tx: Tx, past: PastPrice, unlessSince: Date): Promise<void> {
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
