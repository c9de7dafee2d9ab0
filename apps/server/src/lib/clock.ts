/** Nothing outside this file reads the machine's clock. */
export type Clock = {
  nowMs(): number;
  /** Speed relative to real time; absent for real time. */
  rate?: number;
};

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A monotonic clock for durations, without time of day. */
export const steadyClock: Clock = { nowMs: () => performance.now() };

/** The system clock with an offset measured against the database, so that all hosts agree. */
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

/** A demonstration's pace: from `fromMs` on, which all its processes share, the clock runs `rate` times as fast. */
export type ClockPace = { rate: number; fromMs: number };

export function createPacedClock(base: Clock, pace: ClockPace | undefined): Clock {
  if (!pace) return base;
  return { nowMs: () => Math.round(pace.fromMs + (base.nowMs() - pace.fromMs) * pace.rate), rate: pace.rate };
}

/** A stopped clock, so that one decision has one time. */
export function stopClock(clock: Clock): Clock {
  const nowMs = clock.nowMs();
  return { ...clock, nowMs: () => nowMs };
}

/** A clock that moves only when a test moves it. */
export type ManualClock = Clock & {
  advance(ms: number): void;
  /** Moves the clock to the end of the wait, unless another wait has done so. */
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
