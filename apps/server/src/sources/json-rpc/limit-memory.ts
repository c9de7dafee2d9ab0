import type { Clock } from '../../lib/clock.ts';

/**
 * A provider that says "limit exceeded" and not of what. It is taken for being asked too often first. The same refusal
 * of as many blocks after a rest was of the range.
 */

/** Limits per second are over by then. */
export const LIMIT_REST_MS = 2_000;

export type LimitMemory = {
  judge: (blocks: number) => 'rate' | 'range';
  /** So many blocks were answered for: the limit was not of them. */
  forget: (blocks: number) => void;
};

export function createLimitMemory(monotonic: Clock): LimitMemory {
  let refused: { blocks: number; atMs: number } | undefined;
  return {
    judge: (blocks) => {
      const now = monotonic.nowMs();
      if (!refused || blocks < refused.blocks) {
        refused = { blocks, atMs: now };
        return 'rate';
      }
      if (now - refused.atMs < LIMIT_REST_MS) return 'rate';
      refused = undefined;
      return 'range';
    },
    forget: (blocks) => {
      if (refused && blocks >= refused.blocks) refused = undefined;
    },
  };
}
