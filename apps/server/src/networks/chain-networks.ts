import { LISTED_CHAINS } from '@counterfoil/core/network-list.ts';
import type { FinalityTier } from './finality.ts';
import type { ChainNetwork, PriceSymbol, Token } from './network.ts';

/** The blockchains as data, in the order of `LISTED_CHAINS`. */

const STABLE_DISPLAY = 6;
const COIN_DISPLAY = 8;

function stable(symbol: PriceSymbol, contract: string, decimals = 6): Token {
  return { symbol, pricedAs: symbol, contract, decimals, displayDecimals: STABLE_DISPLAY, stable: true };
}

function coin(symbol: PriceSymbol, decimals = 18, displayDecimals = COIN_DISPLAY): Token {
  return { symbol, pricedAs: symbol, contract: null, decimals, displayDecimals, stable: false };
}

const FINALIZED: readonly FinalityTier[] = [{ belowUsd: null, tier: 'finalized' }];
// Not `safe`: with the fast confirmation rule, a safe block may be only one or two blocks deep.
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

type Facts = Pick<ChainNetwork, 'chainId' | 'minimumCents' | 'policy' | 'tokens'> & {
  pollMs?: number;
  trustCoin: number;
};

/** A listed chain, with what only the server needs. */
function chain(
  id: (typeof LISTED_CHAINS)[number]['id'],
  { pollMs = POLL_MS, trustCoin, ...facts }: Facts,
): ChainNetwork {
  const listed = LISTED_CHAINS.find((one) => one.id === id);
  if (!listed) throw new Error(`${id} is not a listed chain.`);
  const { name, family, standard, seconds, fee, explorer } = listed;
  const payer = { standard, typicalSeconds: seconds, fee, explorerUrl: explorer, trustCoin };
  return { id, name, family, pollMs, payer, ...facts };
}

export const CHAIN_NETWORKS: readonly ChainNetwork[] = [
  chain('BSC', {
    chainId: 56,
    minimumCents: 50,
    policy: FINALIZED,
    trustCoin: 20_000_714,
    tokens: [
      stable('USDT', '0x55d398326f99059fF775485246999027B3197955', 18),
      stable('USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
      coin('BNB'),
    ],
  }),
  chain('ETH', {
    chainId: 1,
    minimumCents: 500,
    policy: ETHEREUM,
    trustCoin: 60,
    tokens: [
      stable('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
      stable('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      coin('ETH'),
    ],
  }),
  chain('TRC20', {
    chainId: 728_126_428,
    // Every other block: polling each would exceed the 100,000 daily requests of a free API key.
    pollMs: 6_000,
    minimumCents: 100,
    policy: FINALIZED,
    trustCoin: 195,
    tokens: [stable('USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), coin('TRX', 6, 6)],
  }),
  chain('SOL', {
    chainId: null,
    pollMs: 2_000,
    minimumCents: 50,
    policy: FINALIZED,
    trustCoin: 501,
    tokens: [
      stable('USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
      stable('USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
      coin('SOL', 9),
    ],
  }),
  chain('POLYGON', {
    chainId: 137,
    minimumCents: 50,
    policy: FINALIZED,
    trustCoin: 966,
    tokens: [
      stable('USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
      stable('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      coin('POL', 18, 6),
    ],
  }),
  chain('ARBITRUM', {
    chainId: 42_161,
    minimumCents: 50,
    policy: ROLLUP,
    trustCoin: 10_042_221,
    tokens: [
      stable('USDT', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
      stable('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
      coin('ETH'),
    ],
  }),
  chain('OPTIMISM', {
    chainId: 10,
    minimumCents: 50,
    policy: ROLLUP,
    trustCoin: 10_000_070,
    tokens: [
      stable('USDT', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
      // USDT0 is Tether's own version for many networks: its price is that of USDT.
      { ...stable('USDT', '0x01bFF41798a0BcF287b996046Ca68b395DbC1071'), symbol: 'USDT0' },
      stable('USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
      coin('ETH'),
    ],
  }),
  chain('BASE', {
    chainId: 8_453,
    minimumCents: 50,
    policy: ROLLUP,
    trustCoin: 8_453,
    tokens: [
      stable('USDT', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
      stable('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
      coin('ETH'),
    ],
  }),
  chain('AVAX', {
    chainId: 43_114,
    minimumCents: 50,
    policy: FINALIZED,
    trustCoin: 10_009_000,
    tokens: [
      stable('USDT', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
      stable('USDC', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
      coin('AVAX'),
    ],
  }),
];
