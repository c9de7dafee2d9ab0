import { NETWORKS } from '../generated/server-facts.ts';

export type KnownNetwork = {
  id: string;
  name: string;
  family: string;
  standard: string;
  fee: 'none' | 'very-low' | 'low' | 'medium' | 'high';
  /** Usual time until a payment is final. */
  seconds: number;
  tokens: readonly string[];
  /** Prefix of a transaction's explorer URL, if any. */
  explorer: string | null;
};

const ALL: readonly KnownNetwork[] = NETWORKS;

/** Networks for wallets: neither exchanges, which need a key, nor the sandbox's. */
export const CHAINS = ALL.filter(({ family }) => family !== 'exchange' && family !== 'sandbox');

/** Exchange platforms. */
export const PLATFORMS = ALL.filter(({ family }) => family === 'exchange');

const SANDBOX = 'sandbox:';

/** Networks and exchanges for filters, once each. */
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

/** Unknown networks are shown by id. */
export function networkOf(id: string): KnownNetwork {
  return ALL.find((one) => one.id === id) ?? unknownNetwork(id);
}

/** The id of a network's mark; sandbox networks have those of the real ones. */
export const markId = (id: string): string => (id.startsWith(SANDBOX) ? id.slice(SANDBOX.length) : id);
