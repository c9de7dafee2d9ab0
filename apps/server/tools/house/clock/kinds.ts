/**
 * What a value has to do with the machine's clock, weakest first:
 * - `moment`: a reading of the clock that was kept; `now`: one that is taken in the expression itself;
 * - `past`: a reading less a duration; `span`: a foreign time less a kept reading;
 * - `deadline`: a reading plus a duration; `remaining`: a foreign time less a reading taken now;
 * - `elapsed`: the time between two readings, or everything calculated from it.
 */
const KINDS = ['none', 'moment', 'now', 'past', 'span', 'deadline', 'remaining', 'elapsed'] as const;

export type Kind = (typeof KINDS)[number];

/** `given` holds only where an argument of the call around it has to do with the clock. */
export type Flow = { sure: Kind; given: Kind };

export const NOTHING: Flow = { sure: 'none', given: 'none' };

export const strongest = (...kinds: readonly Kind[]): Kind =>
  kinds.reduce((most, kind) => (KINDS.indexOf(kind) > KINDS.indexOf(most) ? kind : most), 'none');

export const join = (flows: readonly Flow[]): Flow => ({
  sure: strongest(...flows.map(({ sure }) => sure)),
  given: strongest(...flows.map(({ given }) => given)),
});

export const kindOf = ({ sure, given }: Flow): Kind => strongest(sure, given);

/** A reading that is stored has been taken before it is used. */
const keptKind = (kind: Kind): Kind => (kind === 'now' ? 'moment' : kind);
export const kept = ({ sure, given }: Flow): Flow => ({ sure: keptKind(sure), given: keptKind(given) });

/** A distance in either direction bounds the elapsed time wherever a difference does. */
const bothWaysKind = (kind: Kind): Kind => (['span', 'remaining'].includes(kind) ? 'elapsed' : kind);
export const bothWays = ({ sure, given }: Flow): Flow => ({ sure: bothWaysKind(sure), given: bothWaysKind(given) });

export const isReading = (kind: Kind): boolean => ['moment', 'now', 'past', 'deadline'].includes(kind);

/** `isTime`: whether the name of the untracked operand says that it is a time and no duration. */
function subtract(left: Kind, right: Kind, isTime: boolean): Kind {
  if (left === 'elapsed' || (isReading(left) && isReading(right)))
    return left === 'deadline' && right === 'now' ? 'remaining' : 'elapsed';
  if (right === 'elapsed') return 'remaining';
  if (left === 'none') return right === 'moment' ? 'span' : right === 'none' ? 'none' : 'remaining';
  if (isReading(left)) return isTime ? 'elapsed' : 'past';
  return left;
}

function add(left: Kind, right: Kind): Kind {
  const sum = strongest(left, right);
  return sum === 'moment' || sum === 'now' || sum === 'past' ? 'deadline' : sum;
}

function calculate(operator: string, left: Kind, right: Kind, isTime: boolean): Kind {
  if (left === 'none' && right === 'none') return 'none';
  if (operator === '-') return subtract(left, right, isTime);
  if (operator === '+') return add(left, right);
  return ['*', '/', '%', '**', '|', '&', '>>', '>>>'].includes(operator) ? strongest(left, right) : 'none';
}

export function combine(operator: string, left: Flow, right: Flow, isTime: boolean): Flow {
  const sure = calculate(operator, left.sure, right.sure, isTime);
  const all = calculate(operator, kindOf(left), kindOf(right), isTime);
  return { sure, given: all === sure ? 'none' : all };
}
