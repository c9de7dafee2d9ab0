/** What a test payer can be asked for on the page of an invoice, and what came of it. Pure. */

/** The scenarios of the sandbox whose end the page shows, the usual one first. The others are for programs. */
export const OFFERED = ['pay', 'short', 'over', 'twice', 'late', 'slow', 'expire'] as const;
export type OfferedScenario = (typeof OFFERED)[number];

/** `asked`: no worker has come to it yet. `undone`: nothing could be done, such as without a price. */
export type TestOutcome = 'played' | 'asked' | 'undone';

/** Acts that are due later, such as the confirmation of a slow payment, are not waited for. */
export function outcomeOfTest(acts: readonly { done: boolean | null }[]): TestOutcome {
  if (acts.some(({ done }) => done === false)) return 'undone';
  return acts.some(({ done }) => done === true) ? 'played' : 'asked';
}
