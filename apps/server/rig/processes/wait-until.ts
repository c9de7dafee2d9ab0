import { setTimeout as wait } from 'node:timers/promises';
import { steadyClock } from '../../src/lib/clock.ts';
import { hangLimitMs } from './hang-limit.ts';

/** Bounds a hang and asserts nothing: a machine that is many times slower must not reach it. */
const HANG_MS = 120_000;

export type WaitOptions = { what: string; pollMs: number; timeoutMs?: number };

/** Polls until the condition holds; throws `what` when it does not hold in time. */
export async function waitUntil(
  holds: () => Promise<boolean> | boolean,
  { what, pollMs, timeoutMs = HANG_MS }: WaitOptions,
): Promise<void> {
  if (!(await holdsInTime(holds, { timeoutMs: hangLimitMs(timeoutMs), pause: () => wait(pollMs) })))
    throw new Error(what);
}

type InTimeOptions = {
  timeoutMs: number;
  /** Waits between two checks; may reject when the caller is stopped. */
  pause: () => Promise<void>;
};

/** Whether the condition came to hold within the time limit, in real time. */
export async function holdsInTime(
  holds: () => Promise<boolean> | boolean,
  { timeoutMs, pause }: InTimeOptions,
): Promise<boolean> {
  const untilMs = steadyClock.nowMs() + timeoutMs;
  while (!(await holds())) {
    if (steadyClock.nowMs() > untilMs) return false;
    await pause();
  }
  return true;
}
