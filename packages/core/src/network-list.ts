import { PLATFORM_PREFIX, SANDBOX_PREFIX } from './network-id.ts';
import type { ChainFamily, NetworkFamily } from './network-family.ts';

/**
 * All networks, with the names, fees and minimums that users see. How a network is read, and when a payment on it is
 * final, is defined in the server.
 */

export type NetworkFee = 'none' | 'very-low' | 'low' | 'medium' | 'high';

export type ListedNetwork = {
  /** The id in every table, setting and message; `publicSymbol` is the public one. */
  id: string;
  name: string;
  family: NetworkFamily;
  /** The network's name at exchanges. */
  standard: string;
  /** The payer's network fee. */
  fee: NetworkFee;
  /** Rough time until a small payment settles. */
  seconds: number;
  /** Symbols of its tokens. */
  tokens: readonly string[];
  /** Prefix of a transaction's explorer URL, if any. */
  explorer: string | null;
};

type ListedChain = ListedNetwork & { family: ChainFamily };

/** The blockchains. Their ids are public symbols, part of the contract, never renamed. */
export const LISTED_CHAINS = [
  {
    id: 'BSC',
    name: 'BNB Smart Chain',
    family: 'evm',
    standard: 'BEP20',
    fee: 'very-low',
    seconds: 10,
    tokens: ['USDT', 'USDC', 'BNB'],
    explorer: 'https://bscscan.com/tx/',
  },
  {
    id: 'ETH',
    name: 'Ethereum',
    family: 'evm',
    standard: 'ERC20',
    fee: 'high',
    seconds: 180,
    tokens: ['USDT', 'USDC', 'ETH'],
    explorer: 'https://etherscan.io/tx/',
  },
  {
    id: 'TRC20',
    name: 'Tron',
    family: 'tron',
    standard: 'TRC20',
    fee: 'medium',
    seconds: 60,
    tokens: ['USDT', 'TRX'],
    explorer: 'https://tronscan.org/#/transaction/',
  },
  {
    id: 'SOL',
    name: 'Solana',
    family: 'solana',
    standard: 'SOL',
    fee: 'very-low',
    seconds: 20,
    tokens: ['USDT', 'USDC', 'SOL'],
    explorer: 'https://solscan.io/tx/',
  },
  {
    id: 'POLYGON',
    name: 'Polygon',
    family: 'evm',
    standard: 'Polygon PoS',
    fee: 'very-low',
    seconds: 10,
    tokens: ['USDT', 'USDC', 'POL'],
    explorer: 'https://polygonscan.com/tx/',
  },
  {
    id: 'ARBITRUM',
    name: 'Arbitrum One',
    family: 'evm',
    standard: 'Arbitrum One',
    fee: 'very-low',
    seconds: 60,
    tokens: ['USDT', 'USDC', 'ETH'],
    explorer: 'https://arbiscan.io/tx/',
  },
  {
    id: 'OPTIMISM',
    name: 'OP Mainnet',
    family: 'evm',
    standard: 'Optimism',
    fee: 'very-low',
    seconds: 60,
    tokens: ['USDT', 'USDT0', 'USDC', 'ETH'],
    explorer: 'https://optimistic.etherscan.io/tx/',
  },
  {
    id: 'BASE',
    name: 'Base',
    family: 'evm',
    standard: 'Base',
    fee: 'very-low',
    seconds: 60,
    tokens: ['USDT', 'USDC', 'ETH'],
    explorer: 'https://basescan.org/tx/',
  },
  {
    id: 'AVAX',
    name: 'Avalanche C-Chain',
    family: 'evm',
    standard: 'Avalanche C-Chain',
    fee: 'low',
    seconds: 10,
    tokens: ['USDT', 'USDC', 'AVAX'],
    explorer: 'https://snowtrace.io/tx/',
  },
] as const satisfies readonly ListedChain[];

const platform = (code: string, name: string): ListedNetwork => ({
  id: `${PLATFORM_PREFIX}${code}`,
  name,
  family: 'exchange',
  standard: name,
  fee: 'none',
  seconds: 5,
  tokens: ['USDT', 'USDC'],
  explorer: null,
});

/** Exchange platforms. */
export const LISTED_PLATFORMS: readonly ListedNetwork[] = [
  platform('BINANCE', 'Binance'),
  platform('OKX', 'OKX'),
  platform('BYBIT', 'Bybit'),
  platform('KUCOIN', 'KuCoin'),
];

/** Networks of test stores, which imitate chains. */
export const LISTED_SANDBOX: readonly ListedNetwork[] = LISTED_CHAINS.map((chain) =>
  Object.assign({}, chain, {
    id: `${SANDBOX_PREFIX}${chain.id}`,
    family: 'sandbox' as const,
    seconds: 1,
    explorer: null,
  }),
);
