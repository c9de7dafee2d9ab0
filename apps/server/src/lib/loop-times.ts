import type { Clock } from './clock.ts';

/** When loops last completed a run: reveals a loop that always fails or never ends. */

type Timed = { name: string; idleMs: number; body: () => Promise<boolean> };

export type LoopTimes = {
  /** Wraps a loop to record its completed runs. */
  time: <Loop extends Timed>(loop: Loop) => Loop;
  /** Seconds since each loop last completed a run, beyond its pause. */
  lateSeconds: () => { loop: string; seconds: number }[];
};

export function createLoopTimes(clock: Clock): LoopTimes {
  const times = new Map<string, { idleMs: number; endedMs: number }>();
  return {
    time: (loop) => {
      const own = { idleMs: loop.idleMs, endedMs: clock.nowMs() };
      times.set(loop.name, own);
      const body = async () => {
        const more = await loop.body();
        own.endedMs = clock.nowMs();
        return more;
      };
      return { ...loop, body };
    },
    lateSeconds: () => {
      const nowMs = clock.nowMs();
      return [...times].map(([loop, { idleMs, endedMs }]) => ({
        loop,
        seconds: Math.max(0, nowMs - endedMs - idleMs) / 1_000,
      }));
    },
  };
}
