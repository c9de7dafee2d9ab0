/**
 * Coins that a contract passed on inside one transaction, which no list of transfers shows. A trace shows them; where
 * no provider traces, the receiver's balance before and after the block shows them, if no other transaction can have
 * changed that balance.
 */

/**
 * Why the coins are unknown. `untraceable`: no provider traces. `pruned`: no provider keeps the state of that block.
 * `ambiguous`: another transaction may have brought the coins.
 */
export type UnknownCoins = 'untraceable' | 'pruned' | 'ambiguous';

export type InnerCoins =
  | { how: 'trace'; units: bigint; from: string }
  /** `gain` is how much the receiver's balance grew in the block. */
  | { how: 'balances'; units: bigint; from: string; gain: bigint }
  | { how: 'unknown'; why: UnknownCoins };

export type InnerCoinsRequest = { txId: string; height: number; blockHash: string; to: string };

/** Index of coins that a contract passed on: one transfer for all that a transaction brought to one receiver. */
export const innerIndex = (to: string) => `inner:${to.toLowerCase()}`;

/**
 * Reasons why coins are unknown, the one that helps an operator most first; only the first reason that applies is told.
 */
const BY_USE: readonly UnknownCoins[] = ['ambiguous', 'pruned', 'untraceable'];

/**
 * Combines the answers of several providers. Traces must agree; without any trace, the smallest amount by balances
 * counts. Undefined when two answers contradict each other, so that the providers are asked again.
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
