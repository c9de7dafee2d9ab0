import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { numberCell, textCell, timeCell, writeHeader, writeRecord } from '../lib/csv.ts';
import type { LedgerRow } from './ledger-page-sql.ts';

/**
 * Lines of a statement, per store: opening balance, entries with running balance, sums by kind, closing balance. An
 * entry's effect follows from its accounts, so new kinds need no change here.
 */

export const STATEMENT_HEADER = writeHeader([
  'line',
  'store',
  'entry',
  'at',
  'kind',
  'from_account',
  'to_account',
  'amount_usd',
  'available_usd',
  'held_usd',
  'tid',
  'request_id',
  'note',
  'currency',
  'currency_amount',
]);

export type Standing = { availableMicroUsd: bigint; heldMicroUsd: bigint };

/** A store's statement so far. */
type Statement = { store: string; standing: Standing; sums: ReadonlyMap<string, bigint> };

const usd = (microUsd: bigint | null) => numberCell(microUsd === null ? null : formatMicroUsd(microUsd));

type Line = {
  line: 'opening' | 'entry' | 'sum' | 'closing';
  store: string;
  entry?: LedgerRow;
  kind?: string;
  amount?: bigint;
  standing?: Standing;
};

function writeLine({ line, store, entry, kind, amount, standing }: Line): string {
  return writeRecord([
    textCell(line),
    textCell(store),
    numberCell(entry?.id ?? null),
    timeCell(entry?.at ?? null),
    textCell(kind ?? null),
    textCell(entry?.fromAccount ?? null),
    textCell(entry?.toAccount ?? null),
    usd(amount ?? null),
    usd(standing?.availableMicroUsd ?? null),
    usd(standing?.heldMicroUsd ?? null),
    textCell(entry?.transId ?? null),
    textCell(entry?.requestId ?? null),
    textCell(entry?.note ?? null),
    textCell(entry?.currency ?? null),
    numberCell(entry?.currencyAmount ?? null),
  ]);
}

const movedOn = (account: string, { fromAccount, toAccount, microUsd }: LedgerRow) =>
  (toAccount === account ? microUsd : 0n) - (fromAccount === account ? microUsd : 0n);

export function openStatement(store: string, standing: Standing): { text: string; statement: Statement } {
  return { text: writeLine({ line: 'opening', store, standing }), statement: { store, standing, sums: new Map() } };
}

/** Writes ledger entries; returns lines and the continued statement. */
export function writeEntries(
  { store, standing, sums }: Statement,
  entries: readonly LedgerRow[],
): { text: string; statement: Statement } {
  let { availableMicroUsd, heldMicroUsd } = standing;
  const added = new Map(sums);
  let text = '';
  for (const entry of entries) {
    const { kind, microUsd } = entry;
    availableMicroUsd += movedOn('available', entry);
    heldMicroUsd += movedOn('held', entry);
    const sum = added.get(kind);
    added.set(kind, sum === undefined ? microUsd : sum + microUsd);
    const after = { availableMicroUsd, heldMicroUsd };
    text += writeLine({ line: 'entry', store, entry, kind, amount: microUsd, standing: after });
  }
  return { text, statement: { store, standing: { availableMicroUsd, heldMicroUsd }, sums: added } };
}

export function closeStatement({ store, standing, sums }: Statement): string {
  const kinds = [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const lines = kinds.map(([kind, amount]) => writeLine({ line: 'sum', store, kind, amount }));
  return [...lines, writeLine({ line: 'closing', store, standing })].join('');
}
