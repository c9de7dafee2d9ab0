import type { Clock } from '../lib/clock.ts';

/** What a source is created with besides its network and the addresses of its providers. */
export type SourceOptions = {
  /** Of one request. */
  timeoutMs?: number | undefined;
  /** Measures how long a provider is left alone or doubted; no correction of the wall clock may change that. */
  monotonic?: Clock | undefined;
  /** Of a local chain, whose block 0 is its own; the network's without it. */
  genesisHash?: string | undefined;
};
