import { HOUR_MS } from '@counterfoil/core/duration.ts';

/** Resets of lost two-factor methods. */

/** Gives the person and the owners of their merchants time to stop a false reset. */
const CHANGE_DELAY_HOURS = 24;

export type FactorReset = { effectiveAt: Date; stoppedAt: Date | null; appliedAt: Date | null };

export function effectiveAt(now: Date): Date {
  return new Date(now.getTime() + CHANGE_DELAY_HOURS * HOUR_MS);
}

/** Whether a sign-in now applies the reset, must wait, or is not affected. */
export function decideReset(reset: FactorReset | undefined, now: Date): 'apply' | 'wait' | 'over' {
  if (!reset || reset.stoppedAt !== null || reset.appliedAt !== null) return 'over';
  return reset.effectiveAt <= now ? 'apply' : 'wait';
}
