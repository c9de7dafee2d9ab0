import type { StatementRow } from '../platforms/statement-source.ts';
import type { TimeRange } from './plan-statement.ts';

/** Compares a statement with the transfers stored from its rows. */

export type StoredRow = {
  id: bigint;
  txId: string;
  token: string;
  units: bigint;
  atMs: number;
  canonical: boolean;
  /** Since when complete reads lack the row. */
  missingSinceMs: number | undefined;
  /** The last transaction that wrote the row; another one means that it was changed. */
  writtenBy: string;
};

export type StatementChange = {
  /** Final and pending payments, once each. Unclear rows with a known amount are pending. */
  payments: StatementRow[];
  /** Stored rows that have been given their own id by the platform. */
  renamed: { id: bigint; txId: string }[];
  /** Stored rows that failed, or have been missing for too long. */
  gone: bigint[];
  /** Stored rows first missing in this read. */
  missing: bigint[];
  /** Stored rows that are shown again, even if unclear. */
  back: bigint[];
  /** Rows that may be payments and cannot be read yet. */
  unclear: StatementRow[];
};

/** How long every complete read must miss a row before it is gone. */
export const GONE_AFTER_MS = 10 * 60_000;

/** The weakest of several states counts: a row is final only if no answer calls it anything else. */
const STRENGTH: Record<StatementRow['state'], number> = { failed: 0, refund: 1, unclear: 2, pending: 3, final: 4 };

function rowsById(rows: readonly StatementRow[]): Map<string, StatementRow> {
  const byId = new Map<string, StatementRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    if (!known || STRENGTH[row.state] < STRENGTH[known.state]) byId.set(row.id, row);
  }
  return byId;
}

/** Ids of rows stored or changed since `before`: a newer read than one that began then. */
export function findOvertaken(before: readonly StoredRow[], stored: readonly StoredRow[]): Set<string> {
  const writers = new Map(before.map(({ txId, writtenBy }) => [txId, writtenBy]));
  return new Set(stored.filter(({ txId, writtenBy }) => writers.get(txId) !== writtenBy).map(({ txId }) => txId));
}

const isPayment = (row: StatementRow | undefined) => row?.state === 'pending' || row?.state === 'final';

const isProvisional = ({ id, provisionalId }: StatementRow) => id === provisionalId;

type PaymentFacts = Pick<StatementRow, 'token' | 'units' | 'atMs'>;

const isAlike = (left: PaymentFacts, right: PaymentFacts) =>
  left.atMs === right.atMs && left.units === right.units && left.token === right.token;

/**
 * Whether a row is recorded. A row without its own id is not, while a stored payment with its time, coin and amount is
 * missing: it is that payment, in a list that lags. An unclear row is not beside any such payment, which may be the
 * same one.
 */
function isRecorded(
  row: StatementRow,
  stored: readonly StoredRow[],
  shown: ReadonlyMap<string, StatementRow>,
): boolean {
  if (row.state === 'final') return true;
  const alike = stored.filter((one) => one.canonical && isAlike(one, row));
  if (row.state === 'pending')
    return !isProvisional(row) || alike.every(({ txId }) => txId === row.id || shown.has(txId));
  if (row.state !== 'unclear' || row.units === 0n || alike.length > 0) return false;
  return ![...shown.values()].some((other) => isPayment(other) && isAlike(other, row));
}

const asPayment = (row: StatementRow): StatementRow => (row.state === 'unclear' ? { ...row, state: 'pending' } : row);

/** Finds stored rows that first appear under an own id; each takes one id. */
function findRenamed(stored: readonly StoredRow[], rows: Iterable<StatementRow>): StatementChange['renamed'] {
  const byTxId = new Map(stored.map((one) => [one.txId, one]));
  const renamed = new Map<bigint, string>();
  for (const row of rows) {
    const earlier = isPayment(row) && row.provisionalId !== undefined ? byTxId.get(row.provisionalId) : undefined;
    if (earlier && !byTxId.has(row.id) && !renamed.has(earlier.id)) renamed.set(earlier.id, row.id);
  }
  return [...renamed].map(([id, txId]) => ({ id, txId }));
}

/** Compares a complete read of `ranges` with stored rows: those not among `rows` are missing. */
export function compareStatement(
  before: readonly StoredRow[],
  rows: readonly StatementRow[],
  ranges: readonly TimeRange[],
  nowMs: number,
): StatementChange {
  const byId = rowsById(rows);
  const renamed = findRenamed(before, byId.values());
  const names = new Map(renamed.map(({ id, txId }) => [id, txId]));
  const stored = before.map((one) => ({ ...one, txId: names.get(one.id) ?? one.txId }));
  const wasRead = ({ atMs }: StoredRow) => ranges.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
  const shown = [...byId.values()];
  const replaced = new Set(
    shown.flatMap(({ id, provisionalId }) => (id === provisionalId ? [] : (provisionalId ?? []))),
  );
  const change: StatementChange = {
    payments: shown.filter((row) => isRecorded(row, stored, byId)).map(asPayment),
    renamed,
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
    else if (row?.state === 'failed' || (row === undefined && replaced.has(one.txId))) change.gone.push(one.id);
    else if (wasRead(one)) {
      if (one.missingSinceMs === undefined) change.missing.push(one.id);
      else if (nowMs - one.missingSinceMs >= GONE_AFTER_MS) change.gone.push(one.id);
    }
  }
  return change;
}
