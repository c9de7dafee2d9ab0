import { HOUR_MS } from '@counterfoil/core/duration.ts';

/** How long a merchant's payment-method changes wait. */

export const DELAY_HOURS = { minimum: 1, maximum: 168 } as const;

/** The delay, and a shorter one with its start, if requested. */
export type MethodDelay = { delayHours: number; shorterHours: number | null; shorterAt: Date | null };

export function delayAt({ delayHours, shorterHours, shorterAt }: MethodDelay, at: Date): number {
  return shorterHours !== null && shorterAt !== null && shorterAt <= at ? shorterHours : delayHours;
}

/**
 * A longer delay applies immediately; a shorter one only after the present one has passed, or a thief who persuades an
 * operator would not have to wait. Returns the same object when nothing changes, so repeating a request does not
 * restart the wait.
 */
export function decideDelay(delay: MethodDelay, hours: number, at: Date): MethodDelay {
  const present = delayAt(delay, at);
  const isShortening = delay.shorterAt !== null && delay.shorterAt > at;
  if (hours === (isShortening ? delay.shorterHours : present)) return delay;
  if (hours >= present) return { delayHours: hours, shorterHours: null, shorterAt: null };
  return { delayHours: present, shorterHours: hours, shorterAt: new Date(at.getTime() + present * HOUR_MS) };
}

/** When the newest delay applies, if in the future. */
export function appliesFrom({ shorterAt }: MethodDelay, at: Date): Date {
  return shorterAt !== null && shorterAt > at ? shorterAt : at;
}
