import { NETWORKS } from '../generated/server-facts.ts';

/** Networks as the server knows them. */

export type KnownNetwork = {
  id: string;
  name: string;
  family: string;
  standard: string;
  tokens: readonly string[];
  /** Where anybody can look a transaction up, up to its hash; null where nobody can. */
  explorer: string | null;
};

/** All networks; the sandbox's have the names of the real ones. */
const ALL: readonly KnownNetwork[] = NETWORKS;

/** The networks on which a wallet can be added: neither exchanges, which need a key, nor the sandbox's own. */
export const CHAINS = ALL.filter(({ family }) => family !== 'exchange' && family !== 'sandbox');

const SANDBOX = 'sandbox:';

/** Where payments come from, for filters: networks and exchanges, each once. */
export const PAYABLE = ALL.filter(({ family }) => family !== 'sandbox');

/** The network of a method; one that this app does not know yet is shown by its id. */
export function networkOf(id: string): KnownNetwork {
  return (
    ALL.find((one) => one.id === id) ?? { id, name: id, family: 'unknown', standard: '', tokens: [], explorer: null }
  );
}

/** The id under which a network's mark is drawn: the sandbox's networks have the marks of the real ones. */
export const markId = (id: string): string => (id.startsWith(SANDBOX) ? id.slice(SANDBOX.length) : id);
