import type { Operator } from '../lib/actor.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** Context of an operator's command. The key ring is read only by commands that seal or open something. */
export type OperatorContext = NetworksContext & {
  actor: Operator;
  keyRingFile: () => string;
  keyRing: () => Promise<KeyRing>;
  /** Addresses of the nodes of a network; none when it is not followed. */
  chainUrls: (network: string) => readonly string[];
  /** Hash of block 0 of a local chain; undefined for the real network. */
  genesisHash?: (network: string) => string | undefined;
  /** Shards that new merchants may get; all shards by default. */
  shards?: string;
  /** Waits for so many milliseconds, so that a provider that is asked twice is asked at two times. */
  wait: (ms: number) => Promise<void>;
};
