import { setTimeout as wait } from 'node:timers/promises';
import { steadyClock } from '../../src/lib/clock.ts';

export type WaitOptions = { what: string; timeoutMs: number; pollMs: number };

/** Asks again and again until it holds; throws with `what` when it does not in time. */
export async function waitUntil(holds: () => Promise<boolean> | boolean, options: WaitOptions): Promise<void> {
  const untilMs = steadyClock.nowMs() + options.timeoutMs;
  while (!(await holds())) {
    if (steadyClock.nowMs() > untilMs) throw new Error(options.what);
    await wait(options.pollMs);
  }
}
