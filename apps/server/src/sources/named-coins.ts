/**
 * Coins that a contract passed on, which no list of transfers shows: by trace or, without one, by the receiver's
 * balance around the block, if no other transaction can have changed it.
 */

/** No provider traces, or keeps the block's state; or another transaction may have brought the coins. */
export type UnknownCoins = 'untraceable' | 'pruned' | 'ambiguous';

export type InnerCoins =
  | { how: 'trace'; units: bigint; from: string }
  /** `gain`: growth of the receiver's balance in the block. */
  | { how: 'balances'; units: bigint; from: string; gain: bigint }
  | { how: 'unknown'; why: UnknownCoins };

export type InnerCoinsRequest = { txId: string; height: number; blockHash: string; to: string };

/** Index of contract-passed coins: one transfer per transaction and receiver. */
export const innerIndex = (to: string) => `inner:${to.toLowerCase()}`;

/** Most useful to an operator first; only the first that applies is shown. */
const BY_USE: readonly UnknownCoins[] = ['ambiguous', 'pruned', 'untraceable'];

/**
 * Combines providers' answers. Traces must agree; without any, the smallest amount by balances counts. Undefined on
 * contradiction, so that they are asked again.
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
