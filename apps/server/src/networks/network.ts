import type { FinalityTier } from './finality.ts';

/**
 * Types of networks and tokens. The nine chains are listed in `chain-networks.ts`, the networks of a process in
 * `networks.ts`.
 */

export type NetworkFamily = 'evm' | 'tron' | 'solana' | 'exchange' | 'sandbox';

/**
 * How a family of networks is followed: by block, or account by account where reading every block would cost too much.
 */
const READING: Record<NetworkFamily, 'chain' | 'accounts'> = {
  evm: 'chain',
  tron: 'chain',
  solana: 'accounts',
  exchange: 'accounts',
  sandbox: 'accounts',
};

/** Symbols for which prices are asked. The compiler checks that the folder `prices` knows each symbol. */
export type PriceSymbol = 'BNB' | 'ETH' | 'SOL' | 'TRX' | 'POL' | 'AVAX' | 'USDT' | 'USDC';

export type Token = {
  symbol: string;
  /** The symbol whose price the token is quoted by: another token's symbol where both tokens are the same money. */
  pricedAs: PriceSymbol;
  /**
   * The allow-listed contract or mint, or an exchange platform's code of the coin; null for the network's own coin. A
   * token's symbol alone proves nothing.
   */
  contract: string | null;
  /** Decimals of the token's base unit on chain; a provider must confirm the decimals before the provider is used. */
  decimals: number;
  /** Decimals of an amount that a payer is shown and can type. */
  displayDecimals: number;
  stable: boolean;
};

/** Facts about a network that the checkout page shows to payers. */
type PayerFacts = {
  /** The name by which exchanges offer the network. */
  standard: string;
  /** Rough time from sending a payment to its settling, for a small sum. */
  typicalSeconds: number;
  /** How high the network fee is that a payer pays for a transfer. */
  fee: 'none' | 'very-low' | 'low' | 'medium' | 'high';
  /** Start of a transaction's URL at a public explorer; the transaction id follows. Null where there is no explorer. */
  explorerUrl: string | null;
  /** The network's number in links to Trust Wallet; null where the network has no number. */
  trustCoin: number | null;
};

export type Network = {
  /** The network's id in every table, setting and message; `publicSymbol` gives the symbol that outsiders see. */
  id: string;
  name: string;
  family: NetworkFamily;
  /** Chain id of EIP-155, also in Tron's JSON-RPC; null where the network has no chain id. */
  chainId: number | null;
  /** Pause between polls when nothing happens, unless the operator configures another pause. */
  pollMs: number;
  /**
   * Smallest invoice, in US cents, for which the network is offered: a smaller payment is not worth its network fee.
   */
  minimumCents: number;
  policy: readonly FinalityTier[];
  payer: PayerFacts;
  tokens: readonly Token[];
};

/** A network with nodes and blocks: neither an exchange platform nor a sandbox network. */
export type ChainNetwork = Network & { family: Exclude<NetworkFamily, 'exchange' | 'sandbox'> };

export function findToken(network: Network, symbol: string): Token | undefined {
  return network.tokens.find((token) => token.symbol === symbol);
}

/** The network's own coin; undefined where the network has no coin of its own. */
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

/** Whether payments on this network can carry references, which name the quote being paid. */
export function carriesReferences(network: Network): boolean {
  return network.family === 'solana';
}
