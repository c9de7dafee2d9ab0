import type { Arrival, Suggestion } from '../../api/unmatched-queries.ts';
import { withoutSign } from '../../language/decimals.ts';
import { useMoney } from '../../language/money.ts';
import type { Words } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';

/** Why a transfer pays nothing, as text. */

const REASONS = ['short', 'over', 'late', 'cancelled', 'wrong_token', 'already_paid', 'unknown'] as const;
type Reason = (typeof REASONS)[number];

/** Unknown reasons are shown like a missing one. */
export const reasonOf = ({ reason }: Arrival): Reason => REASONS.find((known) => known === reason) ?? 'unknown';

/** The suggestion for the invoice that the transfer was meant for. */
export const meantOf = ({ invoice, suggestions }: Arrival): Suggestion | undefined =>
  suggestions.find((one) => one.invoice === invoice) ??
  suggestions.find(({ reasons }) => reasons.includes('meant_for'));

/** A one-line reason for lists. */
export function useReasonLine(): (arrival: Arrival) => string {
  const t = useWords();
  const money = useMoney();
  return (arrival) => {
    const reason = reasonOf(arrival);
    const meant = meantOf(arrival);
    const invoice = arrival.invoice ?? meant?.invoice;
    if (reason === 'short' || reason === 'over') {
      if (meant === undefined || meant.difference === null || invoice === undefined) return t(`badge.${reason}`);
      return t(`arrival.${reason}`, { difference: money.decimal(withoutSign(meant.difference), 2), invoice });
    }
    if ((reason === 'late' || reason === 'cancelled' || reason === 'already_paid') && invoice !== undefined)
      return t(`arrival.${reason}`, { invoice });
    return reason === 'wrong_token' ? t('arrival.wrong_token') : t('arrival.unknown');
  };
}

type ClueTone = 'good' | 'warn';

const GOOD = new Set(['meant_for', 'claimed', 'same_amount', 'near_amount', 'open_then']);
const CLUES = new Set([
  'meant_for',
  'claimed',
  'same_amount',
  'near_amount',
  'other_amount',
  'other_token',
  'open_then',
  'not_open_then',
]);

/** Evidence for and against a suggestion. */
export function cluesOf(
  t: Words,
  { reasons, difference }: Suggestion,
  write: (decimal: string) => string,
): { tone: ClueTone; text: string }[] {
  const known = reasons.filter((reason) => CLUES.has(reason));
  const clues = known.map((reason) => ({
    tone: GOOD.has(reason) ? ('good' as const) : ('warn' as const),
    text: t(`clue.${reason}` as 'clue.meant_for'),
  }));
  if (difference === null || withoutSign(difference) === '0') return clues;
  const kind = difference.startsWith('-') ? 'clue.short' : 'clue.over';
  return [...clues, { tone: 'warn', text: t(kind, { difference: write(withoutSign(difference)) }) }];
}
