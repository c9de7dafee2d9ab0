import type { Entry, FeeDay } from '../../api/balance-queries.ts';
import { endOfDay } from './month.ts';

/** Lines of a statement: credits, debits, and fees by day. */

export type Line = {
  key: string;
  kind: Entry['kind'] | 'fees';
  at: number;
  /** Negative for debits. */
  amount: string;
  note: string | null;
  topup: string | null;
  /** Invoices paid that day; only for fees. */
  paid: number;
};

const isNothing = (amount: string) => /^-?[0.]+$/.test(amount);

const lineOfEntry = ({ kind, amount, note, topup, at }: Entry, place: number): Line => ({
  key: `${at} ${kind} ${place}`,
  kind,
  at,
  amount: kind === 'debit' ? `-${amount}` : amount,
  note,
  topup,
  paid: 0,
});

const lineOfDay = ({ day, completed }: FeeDay, fee: string): Line => ({
  key: day,
  kind: 'fees',
  at: endOfDay(day),
  amount: `-${fee}`,
  note: null,
  topup: null,
  paid: completed,
});

/** All lines, newest first; a day's fees are above its other lines. */
export function linesOf(entries: readonly Entry[], days: readonly FeeDay[]): Line[] {
  const fees = days.flatMap((day) =>
    day.fee_usd === null || isNothing(day.fee_usd) ? [] : [lineOfDay(day, day.fee_usd)],
  );
  return [...fees, ...entries.map(lineOfEntry)].toSorted((one, other) => other.at - one.at);
}
