import type { Clock } from '../../lib/clock.ts';

/**
 * Remembers "limit exceeded" without a reason. The first is treated as a rate limit; when as many blocks are refused
 * again after a pause, the range was too large.
 */

export const LIMIT_PAUSE_MS = 2_000;

export type LimitMemory = {
  judge: (blocks: number) => 'rate' | 'range';
  /** Called when `blocks` were answered, so that as many cannot have been the limit. */
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
      if (now - refused.atMs < LIMIT_PAUSE_MS) return 'rate';
      refused = undefined;
      return 'range';
    },
    forget: (blocks) => {
      if (refused && blocks >= refused.blocks) refused = undefined;
    },
  };
}
