/** Resets of second factors that a person has lost. Pure. */

const HOUR_MS = 3_600_000;
/** How long a reset waits, so that the person, or an owner of their merchants, can stop a false one. */
const CHANGE_DELAY_HOURS = 24;

export type FactorReset = { effectiveAt: Date; stoppedAt: Date | null; appliedAt: Date | null };

/** When a reset that is asked for now takes effect. */
export function effectiveAt(now: Date): Date {
  return new Date(now.getTime() + CHANGE_DELAY_HOURS * HOUR_MS);
}

/** Whether a sign-in now removes the factors, must wait, or has nothing to do with a reset. */
export function decideReset(reset: FactorReset | undefined, now: Date): 'apply' | 'wait' | 'over' {
  if (!reset || reset.stoppedAt !== null || reset.appliedAt !== null) return 'over';
  return reset.effectiveAt <= now ? 'apply' : 'wait';
}
