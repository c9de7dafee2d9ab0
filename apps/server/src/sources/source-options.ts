import type { Clock } from '../lib/clock.ts';

/** Options of a source, besides its network and the URLs of its providers. */
export type SourceOptions = {
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
  /** Clock for pauses and doubts about providers: corrections of the wall clock must not change how long they last. */
  monotonic?: Clock | undefined;
  /** Hash of block 0 of a local chain; the network's own by default. */
  genesisHash?: string | undefined;
};
