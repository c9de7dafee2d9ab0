import { SourceError } from '../../sources/chain-source.ts';
import type { StatementRow } from '../statement-source.ts';

/**
 * One row for each id. Pages that overlap show a row twice, and its state may have changed between them: the later one
 * counts. Throws when two rows of an id differ in anything else, because one of them is wrong.
 */
export function joinRows(rows: readonly StatementRow[]): StatementRow[] {
  const byId = new Map<string, StatementRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    if (known && !isSamePayment(known, row))
      throw new SourceError('inconsistent', 'The platform showed two different payments with one id.');
    byId.set(row.id, row);
  }
  return [...byId.values()];
}

function isSamePayment(left: StatementRow, right: StatementRow): boolean {
  return left.token === right.token && left.units === right.units && left.atMs === right.atMs;
}
