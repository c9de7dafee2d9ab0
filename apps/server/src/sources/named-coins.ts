/**
 * Coins of one transaction that no list of transfers shows, because a contract passed them on. A trace tells them; where
 * nobody traces, the balance of the receiver before and after the block does, if no other transaction can be meant.
 */

/** Why nothing can be said. `untraceable`: no provider traces. `pruned`: it has not kept the state. `ambiguous`: others may be meant. */
export type UnknownCoins = 'untraceable' | 'pruned' | 'ambiguous';

export type InnerCoins =
  | { how: 'trace'; units: bigint; from: string }
  /** `gain` is what the receiver had more after the block than before it. */
  | { how: 'balances'; units: bigint; from: string; gain: bigint }
  | { how: 'unknown'; why: UnknownCoins };

export type InnerCoinsRequest = { txId: string; height: number; blockHash: string; to: string };

/** The index of coins that a contract passed on: all that one transaction brought to one receiver. */
export const innerIndex = (to: string) => `inner:${to.toLowerCase()}`;

/** What a person can do most with stands first. */
const BY_USE: readonly UnknownCoins[] = ['ambiguous', 'pruned', 'untraceable'];

/**
 * What several providers say together. Traces must agree; without one the least balance counts. Undefined when two of
 * them cannot both be right: they are asked again.
 */
export function agreeOnCoins(answers: readonly InnerCoins[]): InnerCoins | undefined {
  const traces = answers.filter((answer) => answer.how === 'trace');
  const [traced] = traces;
  if (traced) return traces.every(({ units }) => units === traced.units) ? traced : undefined;
  const balances = answers.filter((answer) => answer.how === 'balances');
  const [least] = balances.toSorted((left, right) => (left.units < right.units ? -1 : 1));
  if (least) return balances.every(({ gain }) => gain === least.gain) ? least : undefined;
  const why = BY_USE.find((reason) => answers.some((answer) => answer.how === 'unknown' && answer.why === reason));
  return { how: 'unknown', why: why ?? 'untraceable' };
}
