import type { Operator } from '../lib/actor.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** The key ring is read only by commands that seal or open something. */
export type OperatorContext = NetworksContext & {
  actor: Operator;
  keyRingFile: () => string;
  keyRing: () => Promise<KeyRing>;
  /** Node URLs; empty when the network is not followed. */
  chainUrls: (network: string) => readonly string[];
  /** Block 0 of a local chain; undefined for the public network. */
  genesisHash?: (network: string) => string | undefined;
  /** Allows base URLs other than the platform's; development only. */
  anyBaseUrl: boolean;
  /** Allows private IP addresses for webhooks; development only. */
  privateCallbacks: boolean;
  /** Our IP addresses, for the allow-lists of keys. */
  egressAddresses: readonly string[];
  /** The dashboard's URL, if configured. */
  dashboardUrl?: string;
  /** Queues emails; without jobs when email is not set up. */
  outbox: () => Promise<Outbox>;
  /** Shards for new merchants; all by default. */
  shards?: string;
  /** Waits between requests to a provider, to separate answers in time or for its quota. */
  wait: (ms: number) => Promise<void>;
};
