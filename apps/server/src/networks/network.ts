import type { FinalityTier } from './finality.ts';

/** What a network and a token are. The nine chains stand in `chain-networks.ts`, what a process knows in `networks.ts`. */

export type NetworkFamily = 'evm' | 'tron' | 'solana' | 'exchange' | 'sandbox';

/** How a family of networks is followed: by block, or by account where reading every block would cost too much. */
const READING: Record<NetworkFamily, 'chain' | 'accounts'> = {
  evm: 'chain',
  tron: 'chain',
  solana: 'accounts',
  exchange: 'accounts',
  sandbox: 'accounts',
};

/** Symbols for which prices are asked. The compiler checks that `prices` knows each of them. */
export type PriceSymbol = 'BNB' | 'ETH' | 'SOL' | 'TRX' | 'POL' | 'AVAX' | 'USDT' | 'USDC';

export type Token = {
  symbol: string;
  /** The price that the token is quoted by: another token's where both are the same money. */
  pricedAs: PriceSymbol;
  /** The allow-listed contract or mint, or a platform's code of the coin; null for the network's own coin. A symbol alone proves nothing. */
  contract: string | null;
  /** Decimals of the base unit on chain; a provider must confirm them before it is used. */
  decimals: number;
  /** Decimals that a payer is shown and can type. */
  displayDecimals: number;
  stable: boolean;
};

/** Facts about a network that the checkout page shows to payers. */
type PayerFacts = {
  /** The name by which exchanges offer the network. */
  standard: string;
  /** Rough time from sending to settling, for a small sum. */
  typicalSeconds: number;
  /** How high the network fee is that a transfer costs the payer. */
  fee: 'none' | 'very-low' | 'low' | 'medium' | 'high';
  /** Start of a transaction's URL at a public explorer; the transaction id follows. Null where there is none. */
  explorerUrl: string | null;
  /** The network's number in links to Trust Wallet; null where it has none. */
  trustCoin: number | null;
};

export type Network = {
  /** The network's name in every table, setting and message; `publicSymbol` gives the one that outsiders see. */
  id: string;
  name: string;
  family: NetworkFamily;
  /** Chain id of EIP-155, also in Tron's JSON-RPC; null where the network has none. */
  chainId: number | null;
  /** Pause between polls when nothing happens, unless the operator configures another. */
  pollMs: number;
  /** Smallest invoice for which the network is offered: a smaller payment is not worth its network fee. */
  minimumCents: number;
  policy: readonly FinalityTier[];
  payer: PayerFacts;
  tokens: readonly Token[];
};

/** A network that has nodes and blocks. */
export type ChainNetwork = Network & { family: Exclude<NetworkFamily, 'exchange' | 'sandbox'> };

export function findToken(network: Network, symbol: string): Token | undefined {
  return network.tokens.find((token) => token.symbol === symbol);
}

/** The network's own coin; undefined where there is none. */
export function coinOf(network: Network): Token | undefined {
  return network.tokens.find((token) => token.contract === null);
}

const TOKEN_NAMES: Record<string, string> = {
  USDT: 'Tether USD',
  USDT0: 'Tether USD (USDT0)',
  USDC: 'USD Coin',
  BNB: 'BNB',
  ETH: 'Ether',
  TRX: 'Tron',
  SOL: 'Solana',
  POL: 'Polygon',
  AVAX: 'Avalanche',
};

/** A token's name as shown to people. */
export function tokenName(symbol: string): string {
  return TOKEN_NAMES[symbol] ?? symbol;
}

export function readsAccounts(network: Network): boolean {
  return READING[network.family] === 'accounts';
}

/** Whether payments on this network can carry references, which name the quote that they pay. */
export function carriesReferences(network: Network): boolean {
  return network.family === 'solana';
}
