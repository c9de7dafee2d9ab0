import type { FinalityTier, Tier } from './finality.ts';
import type { Network, PriceSymbol, Token } from './network.ts';
import { PLATFORM_PREFIX } from './network-id.ts';

/**
 * Exchange platforms as data. A store is paid into its own exchange account at a platform, which moves the money inside
 * itself.
 */

/** Facts that every platform has and a chain does not. */
type Platform = {
  /**
   * Base addresses where keys may be used; a key of a region works only at the base address of that region. The first
   * one is the usual one.
   */
  baseUrls: readonly string[];
  /** Base addresses to which the platform counts requests together, and where it bans us together; often none. */
  countsTogether: readonly string[];
  /** How the platform's app names the id that a payer sends to. */
  idName: string;
  /**
   * Where in the app money is sent to other users: a payment service (`pay`), or a withdrawal that is not over a
   * network (`internal-transfer`). `unknown` where this is not documented for payers.
   */
  sendsBy: 'pay' | 'internal-transfer' | 'unknown';
  /** How many decimals the app lets a payer type, as far as this is documented. */
  typedDecimals: number | 'unknown';
  /** Whether keys have a passphrase. */
  hasPassphrase: boolean;
  /** The documented quota for reading statements: requests per minute for each exchange account. */
  requestsPerMinute: number;
};

export type ExchangeNetwork = Network & { platform: Platform };

/** How many decimals every amount has that a platform writes. */
const DECIMALS = 8;
/**
 * How many decimals a payer is assumed to be able to type where this is not documented: all four apps show amounts with
 * six.
 */
const ASSUMED_TYPED_DECIMALS = 6;
const POLL_MS = 2_000;
/**
 * Poll interval of platforms where polls every two seconds would use too much: at Binance all of the half that we use
 * of an exchange account's quota, and at KuCoin, with 25 exchange accounts, half of the quota of our IP address. At
 * this interval, polls leave a fifth of that for other reads.
 */
const SLOW_POLL_MS = 2_500;

/**
 * The policy of platforms: a payment of any sum settles when the platform calls its row final, because a row has no
 * depth.
 */
const CREDITED: readonly FinalityTier[] = [{ belowUsd: null, tier: 'credited' }];

/**
 * The tier that gates the expiry of invoices quoted at a platform. A row may appear after its own time, so a statement
 * is covered only up to where a later read has shown nothing more.
 */
export const EXCHANGE_GATE_TIER: Tier = 'finalized';

type PlatformInput = { code: string; name: string; pollMs?: number; platform: Platform };

function exchange({ code, name, pollMs = POLL_MS, platform }: PlatformInput): ExchangeNetwork {
  const { typedDecimals } = platform;
  const displayDecimals = typedDecimals === 'unknown' ? ASSUMED_TYPED_DECIMALS : typedDecimals;
  const token = (symbol: PriceSymbol): Token => ({
    symbol,
    pricedAs: symbol,
    // The platform's code of the coin stands where tokens of chains have their contract; rows of other coins are
    // ignored.
    contract: symbol,
    decimals: DECIMALS,
    displayDecimals,
    stable: true,
  });
  return {
    id: `${PLATFORM_PREFIX}${code}`,
    name,
    family: 'exchange',
    chainId: null,
    pollMs,
    minimumCents: 50,
    policy: CREDITED,
    payer: { standard: name, typicalSeconds: 5, fee: 'none', explorerUrl: null, trustCoin: null },
    tokens: [token('USDT'), token('USDC')],
    platform,
  };
}

export const EXCHANGE_NETWORKS: readonly ExchangeNetwork[] = [
  exchange({
    code: 'BINANCE',
    name: 'Binance',
    pollMs: SLOW_POLL_MS,
    platform: {
      baseUrls: ['https://api.binance.com'],
      countsTogether: [],
      idName: 'Binance ID',
      sendsBy: 'pay',
      typedDecimals: 'unknown',
      hasPassphrase: false,
      // Each request for Binance's Pay history costs a weight of 3,000; a user id may use 180,000 per minute.
      requestsPerMinute: 60,
    },
  }),
  exchange({
    code: 'OKX',
    name: 'OKX',
    platform: {
      // The EEA is served at eea.okx.com, the USA and Australia at us.okx.com (ccxt: myokx, okxus). Their web hosts, my
      // and app, were seen to answer too (github.com/nautechsystems/nautilus_trader/issues/4250).
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
    name: 'Bybit',
    platform: {
      // Users of some countries must use the host of their country: bybit-exchange.github.io/docs/v5/guide. Keys of the
      // EEA, at api.bybit.eu, work for brokers only.
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
      // Bybit's documentation says: "All traffic to api.bybit.com or api.bytick.com share this limit".
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
    name: 'KuCoin',
    pollMs: SLOW_POLL_MS,
    platform: {
      // The EU has a host of its own: www.kucoin.com/en-eu/docs-new/introduction/eu.
      baseUrls: ['https://api.kucoin.com', 'https://api.kucoin.eu'],
      countsTogether: [],
      idName: 'KuCoin UID',
      sendsBy: 'unknown',
      typedDecimals: 'unknown',
      hasPassphrase: true,
      // Each request for KuCoin's deposits costs a weight of 5; an exchange account of the lowest level may use 2,000
      // in 30 seconds.
      requestsPerMinute: 800,
    },
  }),
];

/**
 * The base addresses to which a platform counts requests together with requests to `baseUrl`; `baseUrl` alone where the
 * platform counts each base address separately.
 */
export function baseUrlsWith(baseUrl: string): readonly string[] {
  const shared = EXCHANGE_NETWORKS.map(({ platform }) => platform.countsTogether);
  return shared.find((baseUrls) => baseUrls.includes(baseUrl)) ?? [baseUrl];
}

export function isExchange(network: Network): network is ExchangeNetwork {
  return network.family === 'exchange';
}
