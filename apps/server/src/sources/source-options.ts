import type { Clock } from '../lib/clock.ts';

/** Options of a source, besides its network and the URLs of its providers. */
export type SourceOptions = {
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
  /**
   * Clock for pauses of providers and doubts about them: corrections of the wall clock must not change how long these
   * last.
   */
  monotonic?: Clock | undefined;
  /** Hash of block 0 of a local chain; by default that of the public network. */
  genesisHash?: string | undefined;
};
