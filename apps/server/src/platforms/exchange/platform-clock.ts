import type { Clock } from '../../lib/clock.ts';
import { SourceError } from '../../sources/chain-source.ts';

/** Platforms refuse requests that are not signed with their own time, so the difference of the clocks is measured. */

export type PlatformClock = {
  /** Runs a request; if the platform refuses its time, measures the clock again and repeats once. */
  withClock: <Answer>(baseUrl: string, ask: (clock: Clock) => Promise<Answer>) => Promise<Answer>;
};

/** How long a measurement may be used. */
const MAX_AGE_MS = 60_000;

type Measurement = { atMs: number; offset: Promise<number> };

/** Adapters use the kind `not-yet` only for a refused time. */
function refusesTime(cause: unknown): boolean {
  return cause instanceof SourceError && cause.kind === 'not-yet';
}

export function createPlatformClock(clock: Clock, readTime: (baseUrl: string) => Promise<number>): PlatformClock {
  // Bounded: base URLs come from a list in the code.
  const measurements = new Map<string, Measurement>();

  /**
   * Measures the platform's clock, which was read before the answer arrived: the result lags and is never ahead.
   * Platforms accept five seconds of lag and one second ahead.
   */
  async function measure(baseUrl: string): Promise<number> {
    const platformMs = await readTime(baseUrl);
    return platformMs - clock.nowMs();
  }

  async function offsetOf(baseUrl: string): Promise<number> {
    const last = measurements.get(baseUrl);
    const ageMs = last === undefined ? MAX_AGE_MS : Math.abs(clock.nowMs() - last.atMs);
    if (last !== undefined && ageMs < MAX_AGE_MS) return last.offset;
    const measurement: Measurement = { atMs: clock.nowMs(), offset: measure(baseUrl) };
    measurements.set(baseUrl, measurement);
    try {
      return await measurement.offset;
    } catch (cause) {
      if (measurements.get(baseUrl) === measurement) measurements.delete(baseUrl);
      throw cause;
    }
  }

  async function clockOf(baseUrl: string): Promise<Clock> {
    const offsetMs = await offsetOf(baseUrl);
    return { ...clock, nowMs: () => clock.nowMs() + offsetMs };
  }

  return {
    withClock: async (baseUrl, ask) => {
      try {
        return await ask(await clockOf(baseUrl));
      } catch (cause) {
        if (!refusesTime(cause)) throw cause;
        measurements.delete(baseUrl);
        return ask(await clockOf(baseUrl));
      }
    },
  };
}
