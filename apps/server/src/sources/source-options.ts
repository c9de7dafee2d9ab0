import type { Clock } from '../lib/clock.ts';

export type SourceOptions = {
  timeoutMs?: number | undefined;
  /** For pauses and doubts, whose length must not depend on corrections of the wall clock. */
  monotonic?: Clock | undefined;
  /** Hash of block 0 of a local chain; by default of the public network. */
  genesisHash?: string | undefined;
};
