/** A clock: time as every rule sees it. Nothing outside this file reads the machine's clock. */
export type Clock = {
  nowMs(): number;
  /** How many times faster than real time the clock runs; absent where it runs in real time. */
  rate?: number;
};

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock for durations: it never goes back, whatever happens to the wall clock, and does not show the time of day. */
export const steadyClock: Clock = { nowMs: () => performance.now() };

/** The system clock, moved by an offset that is measured against the database, so that all hosts agree. */
export type CorrectedClock = Clock & { correct(offsetMs: number): void };

export function createCorrectedClock(base: Clock): CorrectedClock {
  let offsetMs = 0;
  return {
    nowMs: () => base.nowMs() + offsetMs,
    correct: (measuredMs) => {
      offsetMs = measuredMs;
    },
  };
}

/**
 * The pace of a demonstration: from `fromMs` on, a moment that all its processes share, the clock runs `rate` times as
 * fast.
 */
export type ClockPace = { rate: number; fromMs: number };

export function createPacedClock(base: Clock, pace: ClockPace | undefined): Clock {
  if (!pace) return base;
  return { nowMs: () => Math.round(pace.fromMs + (base.nowMs() - pace.fromMs) * pace.rate), rate: pace.rate };
}

/** A clock stopped at this moment, so that all parts of one decision see the same time. */
export function stopClock(clock: Clock): Clock {
  const nowMs = clock.nowMs();
  return { ...clock, nowMs: () => nowMs };
}

/** A clock that stands still until a test moves it. */
export type ManualClock = Clock & {
  advance(ms: number): void;
  /** Waits by moving the clock to the end of the wait, unless another wait has already moved it there. */
  wait(ms: number): Promise<void>;
};

export function createManualClock(startMs: number): ManualClock {
  let currentMs = startMs;
  return {
    nowMs: () => currentMs,
    advance: (ms) => {
      currentMs += ms;
    },
    wait: async (ms) => {
      const untilMs = currentMs + ms;
      await Promise.resolve();
      currentMs = Math.max(currentMs, untilMs);
    },
  };
}

export function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export function dateFromUnix(seconds: number): Date {
  return new Date(seconds * 1000);
}
