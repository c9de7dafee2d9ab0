import type { CheckoutView, MethodView, QuoteView } from '../src/checkout-view.ts';
import { drawQrCode } from '../src/qr-code.ts';
import { method, PLATFORMS } from './fixture-methods.ts';

/** Views of every state of the checkout page, for the preview and for tests without a server. */

const NOW_MS = Date.UTC(2026, 10, 15, 9, 30, 0);
const MINUTE_MS = 60_000;

const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const TRON_ADDRESS = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
const SOLANA_ADDRESS = 'FWznbcNXWQuHTawe9RxvQ2LdCENssh12dsznf4RiouN5';
const TX = '0x6f0e4f4cf5b1c1b4ef1b1f3ee3a9f8d2f5d9f0a47b9be9b53f7f3f2d1e0c9b8a';

const QUOTE: QuoteView = {
  token: 'USDT',
  tokenName: 'Tether USD',
  network: 'BSC',
  networkName: 'BNB Smart Chain',
  standard: 'BEP20',
  family: 'evm',
  amount: '49.983127',
  address: ADDRESS,
  directOnly: false,
  qrSvg: drawQrCode(ADDRESS),
  guide: '',
  help: '',
  links: [
    { kind: 'eip681', url: 'ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?uint256=1' },
    { kind: 'metamask', url: 'https://link.metamask.io/send/0x55d3@56/transfer' },
    { kind: 'trust', url: 'https://link.trustwallet.com/send?asset=c20000714' },
  ],
  injected: {
    chainIdHex: '0x38',
    contract: '0x55d398326f99059fF775485246999027B3197955',
    unitsHex: '0x2b5a9d5c5a3a17000',
    to: ADDRESS,
  },
};

const PAYMENT = {
  token: 'USDT',
  networkName: 'BNB Smart Chain',
  amount: '49.983127',
  txId: TX,
  explorerUrl: `https://bscscan.com/tx/${TX}`,
  confirmations: { seen: 4, wanted: 12 },
  late: false,
  paidAtMs: NOW_MS - MINUTE_MS,
};

/** Shown in the language of the page. */
const EURO = { amount: '46.12', rate: '1 EUR = 1.0838 USD' };

const BASE: CheckoutView = {
  transId: 'TID-K7M2Q9X4B8D3F6H1',
  step: 'choose',
  store: { name: 'Northwind Coffee Roasters', logoPath: null, accent: null, onAccent: null },
  name: 'Order 1001: two bags of Ethiopia Guji',
  description: 'Whole beans, 2 x 1 kg, sent by post within two days.',
  amountUsd: '49.98',
  priced: null,
  nowMs: NOW_MS,
  expiresAtMs: NOW_MS + 24 * MINUTE_MS,
  cancelledAtMs: null,
  selectable: true,
  methods: [
    method('USDT', 'BSC', { lowestFee: true }),
    method('USDT', 'TRC20', { state: 'behind' }),
    method('USDT', 'ETH'),
    method('USDC', 'SOL'),
    method('USDC', 'POLYGON', { state: 'unavailable', refusal: 'network-unavailable' }),
  ],
  quote: null,
  elsewhere: null,
  contact: '',
  otherQuotes: [],
  payment: null,
  arrivals: [],
  arrivalsNote: '',
  unavailable: '',
  receipt: '',
  phrases: null,
  returnUrl: null,
};

const MANY: MethodView[] = ['USDT', 'USDC'].flatMap((token) =>
  ['BSC', 'TRC20', 'SOL', 'POLYGON', 'ARBITRUM', 'ETH'].map((network) => method(token, network)),
);
const EXCHANGES: MethodView[] = Object.keys(PLATFORMS).flatMap((network) => [
  method('USDT', network),
  method('USDC', network),
]);
const LONG = 'Interplanetary Department of Exceptionally Long Shop Names and Extraordinarily Detailed Descriptions, ';
const RETURN = 'https://shop.example/thanks?order=1001';

const SHORT_ARRIVAL = {
  reason: 'short',
  token: 'USDT',
  amount: '49.683127',
  difference: '0.3',
  comparison: { asked: '49.983127', difference: '−0.3' },
  networkName: 'BNB Smart Chain',
  txId: TX,
  atMs: NOW_MS - MINUTE_MS,
  claim: 'open' as const,
};

const pay = { ...BASE, step: 'pay', quote: QUOTE } satisfies CheckoutView;

const atExchange = (network: string, address: string) =>
  ({
    ...pay,
    quote: {
      ...QUOTE,
      network,
      networkName: PLATFORMS[network]?.platform ?? '',
      standard: 'USDT',
      family: 'exchange',
      address,
      qrSvg: '',
      links: [],
      injected: null,
    },
  }) satisfies CheckoutView;
const payBinance = atExchange('EXCHANGE_PAY:BINANCE', '384729105');
const BINANCE_PAYMENT = {
  ...PAYMENT,
  networkName: 'Binance',
  txId: 'P_A1U7XTVXHFE71115',
  explorerUrl: null,
  confirmations: null,
};

export const FIXTURES: Record<string, CheckoutView> = {
  choose: BASE,
  'choose-elsewhere': BASE,
  'choose-many': {
    ...BASE,
    methods: [
      method('USDT', 'EXCHANGE_PAY:BINANCE'),
      ...MANY,
      method('BNB', 'BSC', { standard: '', refusal: 'volatile-too-long' }),
    ],
  },
  'choose-none': {
    ...BASE,
    methods: [
      method('USDT', 'EXCHANGE_PAY:BINANCE', { state: 'unavailable', refusal: 'account-unavailable' }),
      method('USDC', 'EXCHANGE_PAY:BINANCE', { state: 'unavailable', refusal: 'account-unavailable' }),
      method('USDT', 'EXCHANGE_PAY:OKX', { state: 'unavailable', refusal: 'account-unavailable' }),
      method('USDT', 'TRC20', { state: 'unavailable', refusal: 'network-unavailable' }),
      method('USDT', 'POLYGON', { state: 'unavailable', refusal: 'network-unavailable' }),
      method('USDT', 'ETH', { refusal: 'below-minimum' }),
      method('BNB', 'BSC', { standard: '', refusal: 'price-unavailable' }),
      method('ETH', 'ETH', { standard: '', refusal: 'volatile-too-long' }),
    ],
  },
  pay,
  'pay-elsewhere': { ...pay, otherQuotes: [{ token: 'USDT', networkName: 'Tron' }] },
  'pay-short-time': { ...pay, expiresAtMs: NOW_MS + 2 * MINUTE_MS + 41_000, selectable: false },
  'pay-arrival': { ...pay, arrivals: [SHORT_ARRIVAL], otherQuotes: [{ token: 'USDC', networkName: 'Solana' }] },
  'pay-claimed': { ...pay, arrivals: [{ ...SHORT_ARRIVAL, claim: 'claimed' }] },
  'pay-asked': pay,
  'choose-exchanges': { ...BASE, methods: [...EXCHANGES, ...MANY] },
  'choose-exchange': {
    ...BASE,
    methods: [
      method('USDT', 'EXCHANGE_PAY:BINANCE'),
      method('USDC', 'EXCHANGE_PAY:BINANCE'),
      method('USDT', 'EXCHANGE_PAY:OKX', { state: 'unavailable', refusal: 'account-unavailable' }),
    ],
  },
  'pay-binance': payBinance,
  'pay-okx': atExchange('EXCHANGE_PAY:OKX', '44705892343619584'),
  'pay-kucoin': atExchange('EXCHANGE_PAY:KUCOIN', '165111215'),
  'processing-binance': { ...payBinance, step: 'processing', payment: BINANCE_PAYMENT, selectable: false },
  'paid-binance': { ...payBinance, step: 'paid', payment: BINANCE_PAYMENT, selectable: false, returnUrl: RETURN },
  'expired-binance': {
    ...payBinance,
    step: 'expired',
    expiresAtMs: NOW_MS - 9 * MINUTE_MS,
    selectable: false,
    arrivals: [{ ...SHORT_ARRIVAL, networkName: 'Binance', txId: 'P_A1U7XTVXHFE71115', claim: null }],
    returnUrl: RETURN,
  },
  'pay-coin': {
    ...pay,
    quote: {
      ...QUOTE,
      token: 'BNB',
      tokenName: 'BNB',
      amount: '0.08330519',
      directOnly: true,
      links: [],
      injected: null,
    },
  },
  'pay-tron': {
    ...pay,
    quote: {
      ...QUOTE,
      network: 'TRC20',
      networkName: 'Tron',
      standard: 'TRC20',
      family: 'tron',
      address: TRON_ADDRESS,
      qrSvg: drawQrCode(TRON_ADDRESS),
      links: [
        { kind: 'trust', url: 'https://link.trustwallet.com/send?asset=c195_tTR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
      ],
      injected: null,
    },
  },
  'pay-solana': {
    ...pay,
    quote: {
      ...QUOTE,
      token: 'USDC',
      tokenName: 'USD Coin',
      network: 'SOL',
      networkName: 'Solana',
      standard: 'SOL',
      family: 'solana',
      address: SOLANA_ADDRESS,
      qrSvg: drawQrCode(SOLANA_ADDRESS),
      links: [
        { kind: 'solana-pay', url: `solana:${SOLANA_ADDRESS}?amount=49.983127` },
        { kind: 'trust', url: 'https://link.trustwallet.com/send?asset=c501' },
      ],
      injected: null,
    },
  },
  processing: { ...pay, step: 'processing', payment: PAYMENT, selectable: false },
  'processing-final': {
    ...pay,
    step: 'processing',
    payment: { ...PAYMENT, confirmations: null, explorerUrl: null },
    selectable: false,
  },
  paid: { ...pay, step: 'paid', payment: PAYMENT, selectable: false, returnUrl: RETURN },
  'paid-late': { ...pay, step: 'paid', payment: { ...PAYMENT, late: true }, selectable: false, returnUrl: RETURN },
  checking: { ...pay, step: 'checking', expiresAtMs: NOW_MS - MINUTE_MS, selectable: false },
  cancelled: {
    ...pay,
    step: 'cancelled',
    cancelledAtMs: NOW_MS - 9 * MINUTE_MS,
    selectable: false,
    returnUrl: RETURN,
  },
  expired: { ...pay, step: 'expired', expiresAtMs: NOW_MS - 9 * MINUTE_MS, selectable: false, returnUrl: RETURN },
  'expired-arrival': {
    ...pay,
    step: 'expired',
    expiresAtMs: NOW_MS - 9 * MINUTE_MS,
    selectable: false,
    arrivals: [
      SHORT_ARRIVAL,
      {
        ...SHORT_ARRIVAL,
        reason: 'wrong-token',
        token: 'USDC',
        difference: null,
        comparison: null,
        txId: `${TX.slice(0, -1)}1`,
        claim: null,
      },
    ],
    returnUrl: RETURN,
  },
  'pay-euro': { ...pay, priced: EURO },
  'paid-euro': { ...pay, priced: EURO, step: 'paid', payment: PAYMENT, selectable: false, returnUrl: RETURN },
  long: {
    ...pay,
    store: { name: LONG.repeat(2).slice(0, 200), logoPath: null, accent: '#ff5a1f', onAccent: '#000000' },
    name: LONG.repeat(3).slice(0, 255),
    description: LONG.repeat(6),
    amountUsd: '1000000.00000001',
    quote: {
      ...QUOTE,
      token: 'USDT',
      networkName: 'Solana',
      network: 'SOL',
      standard: 'SOL',
      family: 'solana',
      amount: '1000000000.123456789',
      address: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
      links: [{ kind: 'solana-pay', url: 'solana:9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin?amount=1' }],
      injected: null,
    },
  },
};

/** States that look like another one and differ from it in words. */
const WORDS_ONLY = new Set(['choose-exchange', 'pay-kucoin', 'processing-binance', 'paid-binance']);

/** States that look different: a browser is slow, and needs to see no others. */
export const LOOKS: readonly string[] = Object.keys(FIXTURES).filter((name) => !WORDS_ONLY.has(name));
