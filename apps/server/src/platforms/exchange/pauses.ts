import type { Clock } from '../../lib/clock.ts';

/**
 * Pauses that exchange platforms asked for. A pause is named by what it concerns: an exchange account, or a base URL.
 */
type Pauses = {
  /** The latest end of the named pauses; undefined when all named pauses have ended. */
  endOf: (names: readonly string[]) => number | undefined;
  /**
   * Lets a pause last until a time, and never shortens a pause: the answer that asks for less time may be the older
   * answer.
   */
  extend: (name: string, untilMs: number) => void;
};

/** The longest pause that is believed: Binance bans for three days at most. */
const MAX_PAUSE_MS = 3 * 86_400_000;
/**
 * Most pauses kept, one per exchange account and base URL in use; finished pauses are dropped when this number is
 * reached.
 */
const MAX_KEPT = 50_000;

type KeptPause = { setAtMs: number; untilMs: number };

export function createPauses(clock: Clock): Pauses {
  const pauses = new Map<string, KeptPause>();

  /**
   * The named pause if it still lasts. A pause set before the clock was set back starts anew with its full length: its
   * old end could now be hours away.
   */
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
