import { PLATFORM_PREFIX } from '@counterfoil/core/network-id.ts';
import { LISTED_PLATFORMS } from '@counterfoil/core/network-list.ts';
import type { FinalityTier, Tier } from './finality.ts';
import type { Network, PriceSymbol, Token } from './network.ts';

/** Exchange platforms as data. A store is paid into its own exchange account, by transfers inside the platform. */

type Platform = {
  /** Where keys may be used; a regional key works only at its region's URL. The first is the usual one. */
  baseUrls: readonly string[];
  /** Base URLs that share rate limits and bans; often none. */
  countsTogether: readonly string[];
  /** The app's name for the id that a payer sends to. */
  idName: string;
  /** `pay`, or a withdrawal not over a network (`internal-transfer`); `unknown` where undocumented. */
  sendsBy: 'pay' | 'internal-transfer' | 'unknown';
  /** Decimals that a payer can type in the app, if documented. */
  typedDecimals: number | 'unknown';
  hasPassphrase: boolean;
  /** Documented quota for statements: requests per minute and exchange account. */
  requestsPerMinute: number;
};

export type ExchangeNetwork = Network & { platform: Platform };

const DECIMALS = 8;
/** Where undocumented: all four apps show amounts with six. */
const ASSUMED_TYPED_DECIMALS = 6;
const POLL_MS = 2_000;
/**
 * For platforms where polling every two seconds would use too much: at Binance our whole half of an account's quota,
 * and at KuCoin, with 25 accounts, half of our IP address's. This leaves a fifth for other reads.
 */
const SLOW_POLL_MS = 2_500;

/** A payment of any sum settles when the platform calls it final, because rows have no depth. */
const CREDITED: readonly FinalityTier[] = [{ belowUsd: null, tier: 'credited' }];

/** The tier that gates expiry: rows may appear late, so only a later read covers a statement. */
export const EXCHANGE_GATE_TIER: Tier = 'finalized';

type PlatformInput = { code: string; pollMs?: number; platform: Platform };

function exchange({ code, pollMs = POLL_MS, platform }: PlatformInput): ExchangeNetwork {
  const listed = LISTED_PLATFORMS.find(({ id }) => id === `${PLATFORM_PREFIX}${code}`);
  if (!listed) throw new Error(`${code} is not a listed platform.`);
  const { id, name, standard, seconds, fee, explorer } = listed;
  const { typedDecimals } = platform;
  const displayDecimals = typedDecimals === 'unknown' ? ASSUMED_TYPED_DECIMALS : typedDecimals;
  const token = (symbol: PriceSymbol): Token => ({
    symbol,
    pricedAs: symbol,
    // The platform's coin code replaces the contract; rows of other coins are ignored.
    contract: symbol,
    decimals: DECIMALS,
    displayDecimals,
    stable: true,
  });
  return {
    id,
    name,
    family: 'exchange',
    chainId: null,
    pollMs,
    minimumCents: 50,
    policy: CREDITED,
    payer: { standard, typicalSeconds: seconds, fee, explorerUrl: explorer, trustCoin: null },
    tokens: [token('USDT'), token('USDC')],
    platform,
  };
}

export const EXCHANGE_NETWORKS: readonly ExchangeNetwork[] = [
  exchange({
    code: 'BINANCE',
    pollMs: SLOW_POLL_MS,
    platform: {
      baseUrls: ['https://api.binance.com'],
      countsTogether: [],
      idName: 'Binance ID',
      sendsBy: 'pay',
      typedDecimals: 'unknown',
      hasPassphrase: false,
      // Each request for Pay history has a weight of 3,000; a user id may use 180,000 per minute.
      requestsPerMinute: 60,
    },
  }),
  exchange({
    code: 'OKX',
    platform: {
      // The EEA uses eea.okx.com, the USA and Australia us.okx.com (ccxt: myokx, okxus). The web hosts my and app were
      // seen to answer too (github.com/nautechsystems/nautilus_trader/issues/4250).
      baseUrls: [
        'https://www.okx.com',
        'https://eea.okx.com',
        'https://us.okx.com',
        'https://my.okx.com',
        'https://app.okx.com',
      ],
      countsTogether: [],
      idName: 'OKX UID',
      sendsBy: 'internal-transfer',
      typedDecimals: 'unknown',
      hasPassphrase: true,
      requestsPerMinute: 360,
    },
  }),
  exchange({
    code: 'BYBIT',
    platform: {
      // Some countries require their own host: bybit-exchange.github.io/docs/v5/guide. Keys of the EEA (api.bybit.eu)
      // work for brokers only.
      baseUrls: [
        'https://api.bybit.com',
        'https://api.bytick.com',
        'https://api.bybit.nl',
        'https://api.bybit-tr.com',
        'https://api.bybit.kz',
        'https://api.bybitgeorgia.ge',
        'https://api.bybit.ae',
        'https://api.bybit.eu',
        'https://api.bybit.id',
      ],
      // "All traffic to api.bybit.com or api.bytick.com share this limit" (Bybit's documentation).
      countsTogether: ['https://api.bybit.com', 'https://api.bytick.com'],
      idName: 'Bybit UID',
      sendsBy: 'internal-transfer',
      typedDecimals: 'unknown',
      hasPassphrase: false,
      requestsPerMinute: 300,
    },
  }),
  exchange({
    code: 'KUCOIN',
    pollMs: SLOW_POLL_MS,
    platform: {
      // The EU has a host of its own: www.kucoin.com/en-eu/docs-new/introduction/eu.
      baseUrls: ['https://api.kucoin.com', 'https://api.kucoin.eu'],
      countsTogether: [],
      idName: 'KuCoin UID',
      sendsBy: 'unknown',
      typedDecimals: 'unknown',
      hasPassphrase: true,
      // Each request for deposits has a weight of 5; an account of the lowest level may use 2,000 in 30 seconds.
      requestsPerMinute: 800,
    },
  }),
];

/** The base URLs that share rate limits with `baseUrl`, including itself. */
export function baseUrlsWith(baseUrl: string): readonly string[] {
  const shared = EXCHANGE_NETWORKS.map(({ platform }) => platform.countsTogether);
  return shared.find((baseUrls) => baseUrls.includes(baseUrl)) ?? [baseUrl];
}

export function isExchange(network: Network): network is ExchangeNetwork {
  return network.family === 'exchange';
}
