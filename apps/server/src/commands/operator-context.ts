import type { Operator } from '../lib/actor.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** Context of an operator's command. The key ring is read only by commands that seal or open something. */
export type OperatorContext = NetworksContext & {
  actor: Operator;
  keyRingFile: () => string;
  keyRing: () => Promise<KeyRing>;
  /** URLs of the nodes of a network; empty when the network is not followed. */
  chainUrls: (network: string) => readonly string[];
  /** Hash of block 0 of a local chain; undefined for the public network. */
  genesisHash?: (network: string) => string | undefined;
  /**
   * Whether keys of exchange accounts may be used at other base addresses than the platform's; for development only.
   */
  anyBaseUrl: boolean;
  /** Whether webhooks may go to private IP addresses; for development only. */
  privateCallbacks: boolean;
  /** The IP addresses that our requests come from, which merchants put on the allow-lists of keys. */
  egressAddresses: readonly string[];
  /** The address of the dashboard; undefined when it is not configured here. */
  dashboardUrl?: string;
  /** Opens the place where mails are put; it has no jobs when email is not set up. */
  outbox: () => Promise<Outbox>;
  /** Shards that new merchants may get; all shards by default. */
  shards?: string;
  /**
   * Waits for some milliseconds between two requests to the same provider: so that its answers are of different times,
   * or because of its quota.
   */
  wait: (ms: number) => Promise<void>;
};
