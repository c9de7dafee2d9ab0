/** How long a change of a merchant's payment methods waits. Pure. */

const HOUR_MS = 3_600_000;
export const DELAY_HOURS = { minimum: 1, maximum: 168 } as const;

/** The delay, and a shorter one that applies from a moment on; null when none was asked for. */
export type MethodDelay = { delayHours: number; shorterHours: number | null; shorterAt: Date | null };

/** The delay of a change that is requested at a moment. */
export function delayAt({ delayHours, shorterHours, shorterAt }: MethodDelay, at: Date): number {
  return shorterHours !== null && shorterAt !== null && shorterAt <= at ? shorterHours : delayHours;
}

/**
 * The delay after an operator has asked for another one. A longer one applies immediately; a shorter one only after the
 * present one has passed, or a thief who talks an operator into it would not have to wait. Returns the same object when
 * nothing changes, so asking again for the same shorter delay does not start the wait again.
 */
export function decideDelay(delay: MethodDelay, hours: number, at: Date): MethodDelay {
  const present = delayAt(delay, at);
  const isShortening = delay.shorterAt !== null && delay.shorterAt > at;
  if (hours === (isShortening ? delay.shorterHours : present)) return delay;
  if (hours >= present) return { delayHours: hours, shorterHours: null, shorterAt: null };
  return { delayHours: present, shorterHours: hours, shorterAt: new Date(at.getTime() + present * HOUR_MS) };
}

/** From when on the newest delay applies, when that lies ahead. */
export function appliesFrom({ shorterAt }: MethodDelay, at: Date): Date {
  return shorterAt !== null && shorterAt > at ? shorterAt : at;
}
