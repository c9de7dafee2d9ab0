import type { Home } from '../../api/home-queries.ts';

/** Progress to a first live payment. */

export const STEPS = ['store', 'test', 'webhook', 'factor', 'method', 'topup', 'live'] as const;
export type StepName = (typeof STEPS)[number];
export type StepState = 'done' | 'now' | 'later';

/** States of the steps: done by the server's facts, the first open one is next. */
export function stepStates(steps: Home['steps'], hasFactor: boolean): Record<StepName, StepState> {
  const facts: Record<StepName, boolean> = {
    store: steps.store,
    test: steps.test_payment,
    webhook: steps.webhook,
    factor: hasFactor,
    method: steps.method,
    topup: steps.funded,
    live: steps.live_payment,
  };
  const next = STEPS.find((name) => !facts[name]);
  const states = STEPS.map((name): [StepName, StepState] => [
    name,
    facts[name] ? 'done' : name === next ? 'now' : 'later',
  ]);
  return Object.fromEntries(states) as Record<StepName, StepState>;
}
