import type { Home } from '../../api/home-queries.ts';
import type { Store } from '../../api/queries.ts';

/** Progress to a first payment. */

export type StepName = 'store' | 'method' | 'test' | 'webhook' | 'live';
export type StepState = 'done' | 'now' | 'later';

/**
 * States of the steps: done by the server's facts, the first open one is next. A test store has addresses, so beginners
 * with one can pay a test invoice immediately; the last step then asks for their own wallet.
 */
export function stepStates(steps: Home['steps'], stores: readonly Pick<Store, 'mode'>[]): Record<StepName, StepState> {
  const hasTest = stores.some(({ mode }) => mode === 'test');
  const facts: readonly [StepName, boolean][] = [
    ['store', steps.store],
    ['method', steps.method || hasTest],
    ['test', steps.test_payment],
    ['webhook', steps.webhook],
    ['live', steps.live_payment],
  ];
  const next = facts.find(([, isDone]) => !isDone)?.[0];
  const states = facts.map(([name, isDone]): [StepName, StepState] => [
    name,
    isDone ? 'done' : name === next ? 'now' : 'later',
  ]);
  return Object.fromEntries(states) as Record<StepName, StepState>;
}
