import type { Operator } from '../lib/actor.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** What a command works with. The key ring is read only by commands that seal or open something. */
export type OperatorContext = NetworksContext & {
  actor: Operator;
  keyRingFile: () => string;
  keyRing: () => Promise<KeyRing>;
  /** Addresses of the nodes of a network; none when it is not followed. */
  chainUrls: (network: string) => readonly string[];
  /** Block 0 of a local chain; undefined for the network itself. */
  genesisHash?: (network: string) => string | undefined;
  /** The shards that merchants opened here may have; all there are unless told. */
  shards?: string;
  /** Lets so many milliseconds pass: a provider that is asked twice is asked at two times. */
  wait: (ms: number) => Promise<void>;
};
