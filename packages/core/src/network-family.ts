export type NetworkFamily = 'evm' | 'tron' | 'solana' | 'exchange' | 'sandbox';

/** Families with nodes and blocks. */
export type ChainFamily = Exclude<NetworkFamily, 'exchange' | 'sandbox'>;
