import type { Clock } from '../../lib/clock.ts';

/** Pauses that platforms requested, by exchange account or base URL. */
type Pauses = {
  /** The latest end of the given pauses, if any lasts. */
  endOf: (names: readonly string[]) => number | undefined;
  /** Extends a pause, and never shortens it: an answer with less time may be older. */
  extend: (name: string, untilMs: number) => void;
};

/** Longest accepted pause: Binance bans for at most three days. */
const MAX_PAUSE_MS = 3 * 86_400_000;
/** Most pauses kept; finished ones are dropped at this number. */
const MAX_KEPT = 50_000;

type KeptPause = { setAtMs: number; untilMs: number };

export function createPauses(clock: Clock): Pauses {
  const pauses = new Map<string, KeptPause>();

  /** The pause if it lasts. One from before the clock was set back restarts, or could last hours. */
  function lasting(name: string): KeptPause | undefined {
    const kept = pauses.get(name);
    const nowMs = clock.nowMs();
    if (!kept || kept.untilMs <= nowMs) return undefined;
    if (nowMs >= kept.setAtMs) return kept;
    const anew = { setAtMs: nowMs, untilMs: nowMs + kept.untilMs - kept.setAtMs };
    pauses.set(name, anew);
    return anew;
  }

  return {
    endOf: (names) => {
      const ends = names.flatMap((name) => lasting(name)?.untilMs ?? []);
      return ends.length === 0 ? undefined : Math.max(...ends);
    },
    extend: (name, untilMs) => {
      const setAtMs = clock.nowMs();
      if (pauses.size >= MAX_KEPT)
        for (const [one, { untilMs: endMs }] of pauses) if (endMs <= setAtMs) pauses.delete(one);
      const boundedMs = Math.min(untilMs, setAtMs + MAX_PAUSE_MS);
      pauses.set(name, { setAtMs, untilMs: Math.max(boundedMs, lasting(name)?.untilMs ?? boundedMs) });
    },
  };
}
