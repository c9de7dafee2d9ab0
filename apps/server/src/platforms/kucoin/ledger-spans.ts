import type { KucoinDeposit } from './kucoin-statement.ts';
import type { Span } from './pair-deposits.ts';
import { groupDeposits, TOLERANCE_MS } from './pair-deposits.ts';

/** Longest time for which the whole ledger since a deposit is read; of a longer one only the end. */
export const MAX_HELD_MS = 7 * 86_400_000;

const isShort = ({ fromMs, toMs }: Span) => toMs - fromMs <= MAX_HELD_MS;

/** Spans in which the ledger has entries of payments, or of chain deposits that could be confused with them. */
export function ledgerSpans(deposits: readonly KucoinDeposit[], payments: ReadonlySet<KucoinDeposit>): Span[] {
  const groups = groupDeposits(deposits).filter(({ deposits: own }) => own.some((one) => payments.has(one)));
  const short = groups.filter(isShort);
  const ends = groups
    .filter((group) => !isShort(group))
    .flatMap((group) => group.deposits.filter((one) => payments.has(one)))
    .map(({ updatedMs }) => ({ fromMs: updatedMs - TOLERANCE_MS, toMs: updatedMs + TOLERANCE_MS }));
  if (short.length === 0) return ends;
  const whole = {
    fromMs: Math.min(...short.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...short.map(({ toMs }) => toMs)),
  };
  return [whole, ...ends];
}
