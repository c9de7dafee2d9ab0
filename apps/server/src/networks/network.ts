import type { ChainFamily, NetworkFamily } from '@counterfoil/core/network-family.ts';
import type { NetworkFee } from '@counterfoil/core/network-list.ts';
import type { FinalityTier } from './finality.ts';

/** Types of networks and tokens. The nine chains are in `chain-networks.ts`, a process's networks in `networks.ts`. */

/** By block, or by account where reading every block would cost too much. */
const READING: Record<NetworkFamily, 'chain' | 'accounts'> = {
  evm: 'chain',
  tron: 'chain',
  solana: 'accounts',
  exchange: 'accounts',
  sandbox: 'accounts',
};

/** Symbols with prices. The compiler checks that `prices` covers each. */
export type PriceSymbol = 'BNB' | 'ETH' | 'SOL' | 'TRX' | 'POL' | 'AVAX' | 'USDT' | 'USDC';

export type Token = {
  symbol: string;
  /** The symbol whose price applies: another token's where both are the same money. */
  pricedAs: PriceSymbol;
  /** The contract, mint or platform's coin code; null for the own coin. A symbol alone proves nothing. */
  contract: string | null;
  /** Decimals of the base unit on chain, which a provider must confirm before it is used. */
  decimals: number;
  /** Decimals that a payer is shown and can type. */
  displayDecimals: number;
  stable: boolean;
};

type PayerFacts = {
  /** The network's name at exchanges. */
  standard: string;
  /** Rough time until a small payment settles. */
  typicalSeconds: number;
  /** The payer's network fee. */
  fee: NetworkFee;
  /** Prefix of a transaction's explorer URL, if any. */
  explorerUrl: string | null;
  /** The network's number in Trust Wallet links, if any. */
  trustCoin: number | null;
};

export type Network = {
  /** The id in every table, setting and message; `publicSymbol` is the public one. */
  id: string;
  name: string;
  family: NetworkFamily;
  /** EIP-155 chain id, also in Tron's JSON-RPC; null without one. */
  chainId: number | null;
  /** Default pause between idle polls. */
  pollMs: number;
  /** Smallest invoice, in US cents: smaller payments are not worth their network fee. */
  minimumCents: number;
  policy: readonly FinalityTier[];
  payer: PayerFacts;
  tokens: readonly Token[];
};

/** A network with nodes and blocks: no exchange platform or sandbox network. */
export type ChainNetwork = Network & { family: ChainFamily };

export function findToken(network: Network, symbol: string): Token | undefined {
  return network.tokens.find((token) => token.symbol === symbol);
}

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

export function tokenName(symbol: string): string {
  return TOKEN_NAMES[symbol] ?? symbol;
}

export function readsAccounts(network: Network): boolean {
  return READING[network.family] === 'accounts';
}

/** Whether payments can carry references. */
export function carriesReferences(network: Network): boolean {
  return network.family === 'solana';
}
