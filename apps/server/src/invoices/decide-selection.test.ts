import { requireDecimal } from '@counterfoil/core/amount.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { describe, expect, test } from 'vitest';
import { EXCHANGE_NETWORKS } from '../networks/exchange-networks.ts';
import { createNetworks } from '../networks/networks.ts';
import type { QuoteRow } from '../quotes/quote.ts';
import type { FollowedNetwork, SelectionFacts, SelectionRefusal } from './decide-selection.ts';
import { decideSelection } from './decide-selection.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

const NOW_MS = Date.UTC(2026, 10, 16, 12);
const now = { nowMs: () => NOW_MS };
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1_000);
const usd = (amount: string) => requireDecimal(amount, USD_DECIMALS);

function followed(network: string, change: Partial<FollowedNetwork> = {}): FollowedNetwork {
  return { network, readTime: ago(5), headTime: ago(5), headReadAt: ago(2), frozen: false, ...change };
}

const quote: QuoteRow = {
  id: 7n,
  network: 'ETH',
  token: 'USDC',
  toAddress: '0xaa',
  displayUnits: 50_000_123n,
  tokenAmount: '50.000123',
  tokenPriceUsd: '1',
  finality: 'conf:12',
  reference: null,
};

const facts: SelectionFacts = {
  id: 1n,
  storeId: 2n,
  live: true,
  quotedShare: 'usual',
  pricesGoneUntil: null,
  status: 'waiting',
  amountUnits: usd('50'),
  expiresAt: ago(-1_800),
  methods: null,
  quotes: [quote],
  wallets: [
    { network: 'ETH', address: '0xaa', exchange: null },
    { network: 'BSC', address: '0xbb', exchange: null },
    { network: 'ETH', address: '0xcc', exchange: null },
  ],
  followed: [followed('ETH'), followed('BSC')],
};

const USDT = { network: 'ETH', token: 'USDT' };
const USDC = { network: 'ETH', token: 'USDC' };
const ETHER = { network: 'ETH', token: 'ETH' };

describe('a method without a quote', () => {
  test('is opened with the addresses of its network, in the order of the wallets', () => {
    expect(decideSelection(NETWORKS, facts, USDT, now)).toMatchObject({
      open: {
        network: { id: 'ETH' },
        token: { symbol: 'USDT' },
        addresses: ['0xaa', '0xcc'],
        amountUnits: usd('50'),
      },
    });
  });

  type Row = [
    rule: string,
    change: Partial<SelectionFacts>,
    choice: typeof USDT,
    refusal: SelectionRefusal | undefined,
  ];
  test.each<Row>([
    ['of a test store on a live network is not offered', { live: false }, USDT, 'not-offered'],
    ['of a live store in the sandbox is not offered', {}, { ...USDT, network: 'sandbox:ETH' }, 'not-offered'],
    ['is refused while the prices of a test store are gone', { pricesGoneUntil: ago(-1) }, USDT, 'price-unavailable'],
    ['is opened when they are back', { pricesGoneUntil: ago(0) }, USDT, undefined],
    ['on a network that we do not know is not offered', {}, { network: 'DOGE', token: 'USDT' }, 'not-offered'],
    ['of a token that the network does not have is not offered', {}, { network: 'ETH', token: 'BNB' }, 'not-offered'],
    ['on a network without a wallet is not offered', { wallets: facts.wallets.slice(1, 2) }, USDT, 'not-offered'],
    ['that the invoice names is opened', { methods: ['BSC:USDT', 'ETH:USDT'] }, USDT, undefined],
    ['that the invoice does not name is not offered', { methods: ['BSC:USDT', 'ETH:USDC'] }, USDT, 'not-offered'],
    ['is refused once the invoice is being paid', { status: 'processing' }, USDT, 'not-waiting'],
    ['is refused once the invoice is paid', { status: 'completed' }, USDT, 'not-waiting'],
    ['is refused once the invoice has expired', { status: 'expired' }, USDT, 'not-waiting'],
    ['is opened while 60 seconds are left', { expiresAt: ago(-60) }, USDT, undefined],
    ['is refused when less than 60 seconds are left', { expiresAt: new Date(NOW_MS + 59_999) }, USDT, 'closing'],
    ['is opened at the least that its network is worth', { amountUnits: usd('5') }, USDT, undefined],
    ['is refused below what its network is worth', { amountUnits: usd('4.99') }, USDT, 'below-minimum'],
    ['of a volatile token is opened for an hour', { expiresAt: ago(-3_600) }, ETHER, undefined],
    ['of a volatile token is refused for longer', { expiresAt: ago(-3_601) }, ETHER, 'volatile-too-long'],
    ['of a stable token is opened for longer', { expiresAt: ago(-7_200) }, USDT, undefined],
    ['on a network that nobody follows is refused', { followed: [followed('BSC')] }, USDT, 'network-unavailable'],
    ['on a frozen network is refused', { followed: [followed('ETH', { frozen: true })] }, USDT, 'network-unavailable'],
    [
      'on a network that was read two minutes ago is opened',
      { followed: [followed('ETH', { readTime: ago(120), headTime: ago(120), headReadAt: ago(120) })] },
      USDT,
      undefined,
    ],
    [
      'on a network that was read longer ago is refused',
      { followed: [followed('ETH', { readTime: ago(121), headTime: ago(121), headReadAt: ago(121) })] },
      USDT,
      'network-unavailable',
    ],
    [
      'on a network whose newest block is a minute behind is opened',
      { followed: [followed('ETH', { readTime: ago(60), headTime: ago(60), headReadAt: ago(0) })] },
      USDT,
      undefined,
    ],
    [
      'on a network whose newest block is further behind is refused',
      { followed: [followed('ETH', { readTime: ago(61), headTime: ago(61), headReadAt: ago(0) })] },
      USDT,
      'network-unavailable',
    ],
    [
      'is refused while a block of any network comes from the future',
      { followed: [followed('ETH'), followed('BSC', { headTime: ago(-90) })] },
      USDT,
      'clock-wrong',
    ],
    ['is refused while no worker confirms the database', { quotedShare: null }, USDT, 'quoting-paused'],
    [
      'on a frozen network is unavailable, whatever the clock',
      { followed: [followed('ETH', { frozen: true }), followed('BSC', { headTime: ago(-90) })] },
      USDT,
      'network-unavailable',
    ],
  ])('%s', (_rule, change, choice, refusal) => {
    const decision = decideSelection(NETWORKS, { ...facts, ...change }, choice, now);
    expect('refusal' in decision ? decision.refusal : undefined).toBe(refusal);
    expect('open' in decision).toBe(refusal === undefined);
  });
});

describe('a method that has a quote', () => {
  test.each<[string, Partial<SelectionFacts>]>([
    ['in the last minute', { expiresAt: ago(-1) }],
    ['after the removal of its wallet', { wallets: [] }],
    ['on a network that is frozen or not followed', { followed: [] }],
    ['whatever the clock', { followed: [followed('ETH', { headTime: ago(-90) })] }],
    ['though we do not list its token any more', { quotes: [{ ...quote, token: 'GONE' }] }],
  ])('is shown again %s', (_when, change) => {
    const [present] = change.quotes ?? [quote];
    const choice = { network: 'ETH', token: present?.token ?? '' };
    expect(decideSelection(NETWORKS, { ...facts, ...change }, choice, now)).toEqual({ show: present });
  });

  test.each(['processing', 'completed', 'expired'] as const)('is refused of an invoice that is %s', (status) => {
    expect(decideSelection(NETWORKS, { ...facts, status }, USDC, now)).toEqual({ refusal: 'not-waiting' });
  });

  test('is not offered in a test store', () => {
    expect(decideSelection(NETWORKS, { ...facts, live: false }, USDC, now)).toEqual({ refusal: 'not-offered' });
  });
});

test('an invoice that there is not is not found', () => {
  expect(decideSelection(NETWORKS, undefined, USDT, now)).toEqual({ refusal: 'invoice-not-found' });
});

describe('an exchange account', () => {
  const platform = 'EXCHANGE_PAY:BINANCE';
  const health = { checkedAt: ago(3_600), keyExpiresAt: null, fault: null, stopped: false };
  const choice = { network: platform, token: 'USDT' };
  const decide = (change: Partial<typeof health> | undefined, amount = '50') =>
    decideSelection(
      NETWORKS,
      {
        ...facts,
        amountUnits: usd(amount),
        wallets: change ? [{ network: platform, address: '1234567', exchange: { ...health, ...change } }] : [],
        followed: [followed(platform)],
      },
      choice,
      now,
    );

  test('is selected by the id of its platform', () => {
    expect(decide({})).toMatchObject({ open: { network: { id: platform }, addresses: ['1234567'] } });
  });

  test.each<[string, Partial<typeof health>]>([
    ['its key was not checked for 25 hours', { checkedAt: ago(25 * 3_600 + 1) }],
    ['it is stopped', { stopped: true }],
  ])('is unavailable when %s', (_why, change) => {
    expect(decide(change)).toEqual({ refusal: 'network-unavailable' });
  });

  test('that the store does not have is not offered', () => {
    expect(decide(undefined)).toEqual({ refusal: 'not-offered' });
  });

  test('is not offered in a coin whose digits leave fewer than 100 amounts', () => {
    const [binance] = EXCHANGE_NETWORKS;
    const [usdt] = binance?.tokens ?? [];
    if (!binance || !usdt) throw new Error('There is no such platform.');
    const coarse = [{ ...binance, tokens: [{ ...usdt, displayDecimals: 2 }] }];
    const wallets = [{ network: platform, address: '1234567', exchange: health }];
    const asked = { ...facts, wallets, followed: [followed(platform)] };
    expect(decideSelection(createNetworks(coarse), asked, choice, now)).toEqual({ refusal: 'not-offered' });
  });
});
