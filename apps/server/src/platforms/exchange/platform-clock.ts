import type { Clock } from '../../lib/clock.ts';
import { SourceError } from '../../sources/chain-source.ts';

/**
 * Clocks of platforms. A platform refuses a request that is not signed with the platform's own time, so the difference
 * between the platform's clock and ours is measured.
 */

export type PlatformClock = {
  /**
   * Runs a request with the platform's clock; if the platform refuses the time, measures its clock again and repeats
   * the request once.
   */
  withClock: <Answer>(baseUrl: string, ask: (clock: Clock) => Promise<Answer>) => Promise<Answer>;
};

/** How long a measurement of a platform's clock may be used. */
const MAX_AGE_MS = 60_000;

type Measurement = { atMs: number; offset: Promise<number> };

/**
 * Whether an error says that the platform refused the time of a request: adapters of platforms use the kind `not-yet`
 * for nothing else.
 */
function refusesTime(cause: unknown): boolean {
  return cause instanceof SourceError && cause.kind === 'not-yet';
}

export function createPlatformClock(clock: Clock, readTime: (baseUrl: string) => Promise<number>): PlatformClock {
  // The map has one measurement for each base URL and stays small, because base URLs come from a list in the code.
  const measurements = new Map<string, Measurement>();

  /**
   * Measures the platform's clock. The platform read its clock before its answer arrived, so the measured time is
   * behind the true time and never ahead. Platforms accept requests five seconds behind, and no more than one second
   * ahead.
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
