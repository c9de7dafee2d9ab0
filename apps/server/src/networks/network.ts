import type { FinalityTier } from './finality.ts';

/** Networks and tokens as data: adding one is adding data. Symbols are part of the public contract, never renamed. */

export type NetworkFamily = 'evm' | 'tron' | 'solana';

/** How a family of networks is followed: by block, or by account where reading every block would cost too much. */
const READING: Record<NetworkFamily, 'chain' | 'accounts'> = { evm: 'chain', tron: 'chain', solana: 'accounts' };

/** What a price is asked for. The compiler holds that `prices` knows each of them. */
type PriceSymbol = 'BNB' | 'ETH' | 'SOL' | 'TRX' | 'POL' | 'AVAX' | 'USDT' | 'USDC';

export type Token = {
  symbol: string;
  /** The price that the token is quoted by: another token's where both are the same money. */
  pricedAs: PriceSymbol;
  /** The allow-listed contract or mint; null for the network's own coin. A symbol alone proves nothing. */
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
  fee: 'very-low' | 'low' | 'medium' | 'high';
  /** Start of a transaction's URL at a public explorer; the transaction id follows. */
  explorerUrl: string;
  /** The network's number in links to Trust Wallet. */
  trustCoin: number;
};

export type Network = {
  symbol: string;
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

const STABLE_DISPLAY = 6;
const COIN_DISPLAY = 8;

function stable(symbol: PriceSymbol, contract: string, decimals = 6): Token {
  return { symbol, pricedAs: symbol, contract, decimals, displayDecimals: STABLE_DISPLAY, stable: true };
}

function coin(symbol: PriceSymbol, decimals = 18, displayDecimals = COIN_DISPLAY): Token {
  return { symbol, pricedAs: symbol, contract: null, decimals, displayDecimals, stable: false };
}

const FINALIZED: readonly FinalityTier[] = [{ belowUsd: null, tier: 'finalized' }];
// Ethereum's tiers do not use `safe`: where the fast confirmation rule runs, that tag is one or two blocks deep.
const ETHEREUM: readonly FinalityTier[] = [
  { belowUsd: 1_000, tier: 'conf:12' },
  { belowUsd: 10_000, tier: 'conf:64' },
  { belowUsd: null, tier: 'finalized' },
];
const ROLLUP: readonly FinalityTier[] = [
  { belowUsd: 1_000, tier: 'age:60' },
  { belowUsd: 10_000, tier: 'safe' },
  { belowUsd: null, tier: 'finalized' },
];

const POLL_MS = 1_000;

type EvmInput = Omit<Network, 'family' | 'pollMs'>;
const evm = (network: EvmInput): Network => ({ family: 'evm', pollMs: POLL_MS, ...network });

export const NETWORKS: readonly Network[] = [
  evm({
    symbol: 'BSC',
    name: 'BNB Smart Chain',
    chainId: 56,
    minimumCents: 50,
    policy: FINALIZED,
    payer: {
      standard: 'BEP20',
      typicalSeconds: 10,
      fee: 'very-low',
      explorerUrl: 'https://bscscan.com/tx/',
      trustCoin: 20_000_714,
    },
    tokens: [
      stable('USDT', '0x55d398326f99059fF775485246999027B3197955', 18),
      stable('USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
      coin('BNB'),
    ],
  }),
  evm({
    symbol: 'ETH',
    name: 'Ethereum',
    chainId: 1,
    minimumCents: 500,
    policy: ETHEREUM,
    payer: {
      standard: 'ERC20',
      typicalSeconds: 180,
      fee: 'high',
      explorerUrl: 'https://etherscan.io/tx/',
      trustCoin: 60,
    },
    tokens: [
      stable('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
      stable('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      coin('ETH'),
    ],
  }),
  {
    symbol: 'TRC20',
    name: 'Tron',
    family: 'tron',
    chainId: 728_126_428,
    // Every second block: polling each one would use up a free key's 100,000 requests before the day ends.
    pollMs: 6_000,
    minimumCents: 100,
    policy: FINALIZED,
    payer: {
      standard: 'TRC20',
      typicalSeconds: 60,
      fee: 'medium',
      explorerUrl: 'https://tronscan.org/#/transaction/',
      trustCoin: 195,
    },
    tokens: [stable('USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), coin('TRX', 6, 6)],
  },
  {
    symbol: 'SOL',
    name: 'Solana',
    family: 'solana',
    chainId: null,
    pollMs: 2_000,
    minimumCents: 50,
    policy: FINALIZED,
    payer: {
      standard: 'SOL',
      typicalSeconds: 20,
      fee: 'very-low',
      explorerUrl: 'https://solscan.io/tx/',
      trustCoin: 501,
    },
    tokens: [
      stable('USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
      stable('USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
      coin('SOL', 9),
    ],
  },
  evm({
    symbol: 'POLYGON',
    name: 'Polygon',
    chainId: 137,
    minimumCents: 50,
    policy: FINALIZED,
    payer: {
      standard: 'Polygon PoS',
      typicalSeconds: 10,
      fee: 'very-low',
      explorerUrl: 'https://polygonscan.com/tx/',
      trustCoin: 966,
    },
    tokens: [
      stable('USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
      stable('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      coin('POL', 18, 6),
    ],
  }),
  evm({
    symbol: 'ARBITRUM',
    name: 'Arbitrum One',
    chainId: 42_161,
    minimumCents: 50,
    policy: ROLLUP,
    payer: {
      standard: 'Arbitrum One',
      typicalSeconds: 60,
      fee: 'very-low',
      explorerUrl: 'https://arbiscan.io/tx/',
      trustCoin: 10_042_221,
    },
    tokens: [
      stable('USDT', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
      stable('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
      coin('ETH'),
    ],
  }),
  evm({
    symbol: 'OPTIMISM',
    name: 'OP Mainnet',
    chainId: 10,
    minimumCents: 50,
    policy: ROLLUP,
    payer: {
      standard: 'Optimism',
      typicalSeconds: 60,
      fee: 'very-low',
      explorerUrl: 'https://optimistic.etherscan.io/tx/',
      trustCoin: 10_000_070,
    },
    tokens: [
      stable('USDT', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
      // Tether's own, for all networks: it costs what USDT costs.
      { ...stable('USDT', '0x01bFF41798a0BcF287b996046Ca68b395DbC1071'), symbol: 'USDT0' },
      stable('USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
      coin('ETH'),
    ],
  }),
  evm({
    symbol: 'BASE',
    name: 'Base',
    chainId: 8_453,
    minimumCents: 50,
    policy: ROLLUP,
    payer: {
      standard: 'Base',
      typicalSeconds: 60,
      fee: 'very-low',
      explorerUrl: 'https://basescan.org/tx/',
      trustCoin: 8_453,
    },
    tokens: [
      stable('USDT', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
      stable('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
      coin('ETH'),
    ],
  }),
  evm({
    symbol: 'AVAX',
    name: 'Avalanche C-Chain',
    chainId: 43_114,
    minimumCents: 50,
    policy: FINALIZED,
    payer: {
      standard: 'Avalanche C-Chain',
      typicalSeconds: 10,
      fee: 'low',
      explorerUrl: 'https://snowtrace.io/tx/',
      trustCoin: 10_009_000,
    },
    tokens: [
      stable('USDT', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
      stable('USDC', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
      coin('AVAX'),
    ],
  }),
];

export function findNetwork(symbol: string): Network | undefined {
  return NETWORKS.find((network) => network.symbol === symbol);
}

export function findToken(network: Network, symbol: string): Token | undefined {
  return network.tokens.find((token) => token.symbol === symbol);
}

/** The token of a recorded amount; throws when it is unknown, because its decimals would be guessed. */
export function requireToken(network: string, symbol: string): Token {
  const found = findNetwork(network);
  const token = found && findToken(found, symbol);
  if (!token) throw new Error(`${symbol} on ${network} is recorded but not known.`);
  return token;
}

/** The network's own coin. */
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

/** Networks that are read account by account: coverage there has the followed account as its scope. */
export const ACCOUNT_NETWORKS: readonly string[] = NETWORKS.filter(readsAccounts).map((network) => network.symbol);

/** Whether payments on this network can carry references, which tell the quote that they pay. */
export function carriesReferences(network: Network): boolean {
  return network.family === 'solana';
}
