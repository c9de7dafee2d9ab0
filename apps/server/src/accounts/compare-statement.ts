import type { StatementRow } from '../platforms/statement-source.ts';
import type { TimeRange } from './plan-statement.ts';

/** What a read of a statement changes about the transfers that were stored from its rows. Pure. */

export type StoredRow = {
  id: bigint;
  txId: string;
  atMs: number;
  canonical: boolean;
  /** Since when complete reads lack the row; undefined while reads show the row. */
  missingSinceMs: number | undefined;
};

export type StatementChange = {
  /** Rows that are payments, final or pending; each row once. */
  payments: StatementRow[];
  /** Stored rows that the platform calls failed, or that have been missing for too long. */
  gone: bigint[];
  /** Stored rows that this read is the first to lack. */
  missing: bigint[];
  /** Stored rows that were missing and are shown again, even if as unclear. */
  back: bigint[];
  /** Rows that may be payments and cannot be read for now. */
  unclear: StatementRow[];
};

/** How long a row must be missing from every complete read before it counts as gone. */
export const GONE_AFTER_MS = 10 * 60_000;

/**
 * When answers give one row several states, the weakest state counts: a row is final only if no answer calls it
 * anything else.
 */
const STRENGTH: Record<StatementRow['state'], number> = { failed: 0, refund: 1, unclear: 2, pending: 3, final: 4 };

function rowsById(rows: readonly StatementRow[]): Map<string, StatementRow> {
  const byId = new Map<string, StatementRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    if (!known || STRENGTH[row.state] < STRENGTH[known.state]) byId.set(row.id, row);
  }
  return byId;
}

const isPayment = (row: StatementRow | undefined) => row?.state === 'pending' || row?.state === 'final';

/**
 * Compares a complete read of `ranges` with what is stored: a stored row of these ranges that is not among `rows` is
 * missing.
 */
export function compareStatement(
  stored: readonly StoredRow[],
  rows: readonly StatementRow[],
  ranges: readonly TimeRange[],
  nowMs: number,
): StatementChange {
  const byId = rowsById(rows);
  const wasRead = ({ atMs }: StoredRow) => ranges.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
  const shown = [...byId.values()];
  const change: StatementChange = {
    payments: shown.filter(isPayment),
    gone: [],
    missing: [],
    back: [],
    unclear: shown.filter(({ state }) => state === 'unclear'),
  };
  for (const one of stored) {
    const row = byId.get(one.txId);
    if (isPayment(row) || (row?.state === 'unclear' && one.canonical)) {
      if (one.missingSinceMs !== undefined) change.back.push(one.id);
    } else if (!one.canonical) continue;
    else if (row?.state === 'failed') change.gone.push(one.id);
    else if (wasRead(one)) {
      if (one.missingSinceMs === undefined) change.missing.push(one.id);
      else if (nowMs - one.missingSinceMs >= GONE_AFTER_MS) change.gone.push(one.id);
    }
  }
  return change;
}
