import { SourceError } from '../chain-source.ts';
import type { StatementRow } from '../statement-source.ts';

/** What a row says besides its state, which may change between two questions. */
function contentOf(row: StatementRow): string {
  return [row.token, row.units, row.atMs, row.state === 'refund'].join(' ');
}

/**
 * Each row of the range once, by time. A row that came twice counts as it was told last; one that came as two different
 * payments is an error.
 */
export function mergeRows(rows: readonly StatementRow[], fromMs: number, toMs: number): StatementRow[] {
  const byId = new Map<string, StatementRow>();
  for (const row of rows) {
    const earlier = byId.get(row.id);
    if (earlier !== undefined && contentOf(earlier) !== contentOf(row))
      throw new SourceError('inconsistent', 'The platform gave two payments the same id.');
    byId.set(row.id, row);
  }
  return [...byId.values()]
    .filter((row) => row.atMs >= fromMs && row.atMs <= toMs)
    .sort((left, right) => left.atMs - right.atMs);
}
