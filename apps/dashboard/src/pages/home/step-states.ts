import type { Home } from '../../api/home-queries.ts';
import type { Store } from '../../api/queries.ts';

/** How far a merchant is on the way to a first payment. Pure. */

export type StepName = 'store' | 'method' | 'test' | 'webhook' | 'live';
export type StepState = 'done' | 'now' | 'later';

/**
 * The state of each step: done by the server's facts, the first one that is not is next, all others come later. The
 * addresses of a test store are made with it, so whoever begins with one can pay a test invoice at once; the own wallet
 * is then asked for by the last step.
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
