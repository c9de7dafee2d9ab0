/** The test payer's actions on an invoice's page, and their outcome. */

/** Scenarios whose end the page shows, usual first. Others are for the API. */
export const OFFERED = ['pay', 'short', 'over', 'twice', 'late', 'slow', 'expire'] as const;
export type OfferedScenario = (typeof OFFERED)[number];

/** `asked`: not yet performed. `undone`: nothing could be done, such as without a price. */
export type TestOutcome = 'played' | 'asked' | 'undone';

/** Does not wait for actions that are due later, such as confirming a slow payment. */
export function outcomeOfTest(acts: readonly { done: boolean | null }[]): TestOutcome {
  if (acts.some(({ done }) => done === false)) return 'undone';
  return acts.some(({ done }) => done === true) ? 'played' : 'asked';
}
