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
  /** For development: keys of exchange accounts may be used on other addresses than the platform's. */
  anyBaseUrl: boolean;
  /** The addresses that our requests come from, for the allow-lists of keys. */
  egressAddresses: readonly string[];
  /** Shards that new merchants may get; all shards by default. */
  shards?: string;
  /** Waits for so many milliseconds, so that a provider that is asked twice is asked at two times. */
  wait: (ms: number) => Promise<void>;
};
