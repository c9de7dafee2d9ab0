import type { StatementRow } from '../platforms/statement-source.ts';
import type { TimeRange } from './plan-statement.ts';

/** What a read of a statement changes about the transfers that were stored from its rows. Pure. */

export type StoredRow = {
  id: bigint;
  txId: string;
  token: string;
  units: bigint;
  atMs: number;
  canonical: boolean;
  /** Since when complete reads lack the row; undefined while reads show the row. */
  missingSinceMs: number | undefined;
  /** The transaction that wrote the row last: another one means that the row was changed. */
  writtenBy: string;
};

export type StatementChange = {
  /**
   * Rows that are payments, final or pending; each row once. An unclear row whose amount is known is a pending payment:
   * its invoice waits for it.
   */
  payments: StatementRow[];
  /** Stored rows that the platform has given an id of their own since they were stored. */
  renamed: { id: bigint; txId: string }[];
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

/** Ids of rows that were stored or changed since `before` was read: another read is newer than one that began then. */
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
 * Whether a row is recorded as a payment. A row without an id of its own is not while a stored payment with its time,
 * coin and amount is missing from the read: it is that payment, in a list that is behind. An unclear row is not beside
 * any such payment, which may be the same payment shown twice.
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

/** Finds stored rows that a read shows under an id of their own for the first time; each takes one id. */
function findRenamed(stored: readonly StoredRow[], rows: Iterable<StatementRow>): StatementChange['renamed'] {
  const byTxId = new Map(stored.map((one) => [one.txId, one]));
  const renamed = new Map<bigint, string>();
  for (const row of rows) {
    const earlier = isPayment(row) && row.provisionalId !== undefined ? byTxId.get(row.provisionalId) : undefined;
    if (earlier && !byTxId.has(row.id) && !renamed.has(earlier.id)) renamed.set(earlier.id, row.id);
  }
  return [...renamed].map(([id, txId]) => ({ id, txId }));
}

/**
 * Compares a complete read of `ranges` with what is stored: a stored row of these ranges that is not among `rows` is
 * missing.
 */
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
