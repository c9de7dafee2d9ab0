import type { StatementRow } from '../statement-source.ts';
import { unclearRow } from './unclear-row.ts';

/**
 * Merges rows by id. Overlapping pages repeat a row; its later state counts. Rows with the same id that differ in
 * token, amount or time contradict each other and become one unclear row, at the earliest time.
 */
export function joinRows(rows: readonly StatementRow[]): StatementRow[] {
  const byId = new Map<string, StatementRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    byId.set(row.id, known && !isSamePayment(known, row) ? confuse(known, row) : row);
  }
  return [...byId.values()];
}

function isSamePayment(left: StatementRow, right: StatementRow): boolean {
  return left.token === right.token && left.units === right.units && left.atMs === right.atMs;
}

function confuse(left: StatementRow, right: StatementRow): StatementRow {
  return unclearRow({ id: left.id, token: { symbol: left.token }, atMs: Math.min(left.atMs, right.atMs) });
}
