import type { Clock } from './clock.ts';

/** Times at which loops last completed a run: they reveal a loop that always fails or never ends. */

type Timed = { name: string; idleMs: number; body: () => Promise<boolean> };

export type LoopTimes = {
  /** Returns the same loop with its completed runs noted. */
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
