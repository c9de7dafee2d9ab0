import { NETWORKS } from '../generated/server-facts.ts';

/** Networks as the server knows them. */

export type KnownNetwork = {
  id: string;
  name: string;
  family: string;
  standard: string;
  /** How high the network's fee is for a payer. */
  fee: 'none' | 'very-low' | 'low' | 'medium' | 'high';
  /** How long a payment mostly takes until it is final. */
  seconds: number;
  tokens: readonly string[];
  /** Where anybody can look a transaction up, up to its hash; null where nobody can. */
  explorer: string | null;
};

/** All networks; the sandbox's have the names of the real ones. */
const ALL: readonly KnownNetwork[] = NETWORKS;

/** The networks on which a wallet can be added: neither exchanges, which need a key, nor the sandbox's own. */
export const CHAINS = ALL.filter(({ family }) => family !== 'exchange' && family !== 'sandbox');

/** The exchange platforms at which a store can be paid. */
export const PLATFORMS = ALL.filter(({ family }) => family === 'exchange');

const SANDBOX = 'sandbox:';

/** Where payments come from, for filters: networks and exchanges, each once. */
export const PAYABLE = ALL.filter(({ family }) => family !== 'sandbox');

const unknownNetwork = (id: string): KnownNetwork => ({
  id,
  name: id,
  family: 'unknown',
  standard: '',
  fee: 'medium',
  seconds: 0,
  tokens: [],
  explorer: null,
});

/** The network of a method; one that this app does not know yet is shown by its id. */
export function networkOf(id: string): KnownNetwork {
  return ALL.find((one) => one.id === id) ?? unknownNetwork(id);
}

/** The id under which a network's mark is drawn: the sandbox's networks have the marks of the real ones. */
export const markId = (id: string): string => (id.startsWith(SANDBOX) ? id.slice(SANDBOX.length) : id);
