import type { Networks } from '../networks/networks.ts';
import { createNetworks } from '../networks/networks.ts';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { describe, expect, test } from 'vitest';
import type { CheckoutFacts, QuoteFact, TransferFact } from './checkout-facts-sql.ts';
import { tagOf, viewCheckout } from './checkout-view.ts';
import type { Shown } from './page-address.ts';
import type { Surroundings } from './network-conditions.ts';

const NOW = 1_794_700_000_000;
const END = NOW + 30 * 60_000;
const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const HASH = `0x${'ab'.repeat(32)}`;

const quote: QuoteFact = {
  id: '7',
  network: 'BSC',
  token: 'USDT',
  toAddress: ADDRESS,
  displayUnits: '50000317',
  tokenAmount: '50.000317',
  tokenPriceUsd: '1',
  finality: 'finalized',
  reference: null,
  createdAtSeconds: NOW / 1000,
  isAsked: false,
};
const ethQuote: QuoteFact = { ...quote, id: '8', network: 'ETH', token: 'USDC', finality: 'conf:12' };

const transfer: TransferFact = {
  id: '31',
  network: 'BSC',
  token: 'USDT',
  txId: HASH,
  units: '50000317000000000000',
  height: 990,
  timeSeconds: NOW / 1000,
  reason: null,
  quoteId: '7',
};

const waiting: CheckoutFacts = {
  id: 1n,
  transId: 'TID-AAAAAAAAAAAAAAAA',
  status: 'waiting',
  amountUsd: '50.00000000',
  currency: null,
  currencyAmount: null,
  exchangeRate: null,
  name: 'Two coffees',
  description: null,
  completedUrl: 'https://shop.example/thanks',
  expiredUrl: 'https://shop.example/again',
  expiresAt: new Date(END),
  cancelledAt: null,
  late: false,
  methods: null,
  quoteId: null,
  paidTransferId: null,
  storeId: 1n,
  merchantAccountId: 1n,
  live: true,
  pricesGoneUntil: null,
  storeName: 'Café',
  accent: null,
  logo: null,
  supportUrl: null,
  supportEmail: null,
  walletNetworks: ['BSC'],
  exchanges: [],
  quotes: [],
  transfers: [],
  claimedTxIds: [],
  version: '900',
};
const chosen: CheckoutFacts = { ...waiting, quoteId: 7n, quotes: [quote] };
const processing: CheckoutFacts = { ...chosen, status: 'processing', transfers: [transfer] };
const completed: CheckoutFacts = { ...processing, status: 'completed', paidTransferId: 31n };

const standing = { headHeight: 1_000, state: 'ready' as const };
const chain = (network: string, more = {}) => [network, { network, ...standing, ...more }] as const;
const surroundings: Surroundings = {
  chains: new Map([chain('BSC'), chain('ETH')]),
  priced: new Set(['USDT', 'USDC', 'BNB', 'ETH']),
};

type More = { nowMs?: number; shown?: Shown; surroundings?: Surroundings; basePath?: string; networks?: Networks };

function view(facts: CheckoutFacts, { shown = 'latest', ...more }: More = {}): CheckoutView {
  return viewCheckout({
    networks: createNetworks(),
    facts,
    surroundings,
    nowMs: NOW,
    drawQrCode: (text) => `qr of ${text}`,
    basePath: '',
    address: { shown, language: 'en', languageFixed: false },
    ...more,
  });
}

describe('the step', () => {
  test.each<[string, CheckoutFacts, More, CheckoutView['step'], boolean]>([
    ['nothing is chosen', waiting, {}, 'choose', true],
    ['a quote is shown', chosen, {}, 'pay', true],
    ['the choice is asked for again', chosen, { shown: 'choice' }, 'choose', true],
    ['a minute is left', chosen, { nowMs: END - 60_000 }, 'pay', true],
    ['less than a minute is left', chosen, { nowMs: END - 59_999 }, 'pay', false],
    [
      'the choice is shown with less than a minute left',
      chosen,
      { nowMs: END - 59_999, shown: 'choice' },
      'choose',
      false,
    ],
    ['the very end', chosen, { nowMs: END }, 'pay', false],
    ['time is up and the last blocks are not read', chosen, { nowMs: END + 1 }, 'checking', false],
    ['time is up and nothing was chosen', waiting, { nowMs: END + 1 }, 'checking', false],
    ['a payment waits for depth', processing, {}, 'processing', false],
    ['a payment waits for depth after the end', processing, { nowMs: END + 1 }, 'processing', false],
    ['it is paid', completed, {}, 'paid', false],
    ['it expired', { ...chosen, status: 'expired' }, { nowMs: END + 9 }, 'expired', false],
    [
      'it expired: the choice cannot be asked for',
      { ...chosen, status: 'expired' },
      { shown: 'choice' },
      'expired',
      false,
    ],
  ])('%s', (_name, facts, more, step, selectable) => {
    expect(view(facts, more)).toMatchObject({ step, selectable });
  });
});

test('amounts are shown as they were quoted, never rounded and never with less than two decimals', () => {
  expect(view(chosen)).toMatchObject({ amountUsd: '50.00', quote: { amount: '50.000317', address: ADDRESS } });
  expect(view({ ...waiting, amountUsd: '0.12345678' }).amountUsd).toBe('0.12345678');
});

test('an injected wallet is asked for exactly the base units that the quote matches', () => {
  expect(view(chosen).quote?.injected).toEqual({
    chainIdHex: '0x38',
    contract: '0x55d398326f99059fF775485246999027B3197955',
    unitsHex: `0x${50_000_317_000_000_000_000n.toString(16)}`,
    to: ADDRESS,
  });
});

test('other quotes of the invoice are listed: money sent to them counts as well', () => {
  const both = { ...chosen, quotes: [quote, ethQuote] };
  expect(view(both).otherQuotes).toEqual([{ token: 'USDC', networkName: 'Ethereum' }]);
});

const methodsOf = (facts: CheckoutFacts, more: More = {}) =>
  Object.fromEntries(view(facts, more).methods.map((one) => [`${one.token} ${one.network}`, [one.state, one.refusal]]));

describe('methods', () => {
  test('are the tokens of the networks on which the store has a wallet', () => {
    expect(methodsOf(waiting)).toEqual({
      'USDT BSC': ['ready', null],
      'USDC BSC': ['ready', null],
      'BNB BSC': ['ready', null],
    });
  });

  test.each<[string, CheckoutFacts, Partial<Surroundings>, string, [string, string | null]]>([
    [
      'a network that is not followed',
      waiting,
      { chains: new Map() },
      'USDT BSC',
      ['unavailable', 'network-unavailable'],
    ],
    [
      'a network that is not read',
      waiting,
      { chains: new Map([chain('BSC', { state: 'unavailable' })]) },
      'USDT BSC',
      ['unavailable', 'network-unavailable'],
    ],
    [
      'a network that is behind can be chosen',
      waiting,
      { chains: new Map([chain('BSC', { state: 'behind' })]) },
      'USDT BSC',
      ['behind', null],
    ],
    ['a token without a price', waiting, { priced: new Set(['USDC']) }, 'USDT BSC', ['ready', 'price-unavailable']],
    ['an amount below the minimum', { ...waiting, amountUsd: '0.49' }, {}, 'USDT BSC', ['ready', 'below-minimum']],
    [
      'a volatile token for longer than an hour',
      { ...waiting, expiresAt: new Date(NOW + 3_601_000) },
      {},
      'BNB BSC',
      ['ready', 'volatile-too-long'],
    ],
  ])('%s', (_name, facts, changed, method, expected) => {
    expect(methodsOf(facts, { surroundings: { ...surroundings, ...changed } })[method]).toEqual(expected);
  });

  test('only those that the invoice names are offered', () => {
    const named: CheckoutFacts = { ...waiting, methods: ['BSC:USDC', 'ETH:USDT'] };
    expect(Object.keys(methodsOf(named, {}))).toEqual(['USDC BSC']);
  });

  test('none are offered once nothing can be chosen', () => {
    expect(view(completed).methods).toEqual([]);
    expect(view(chosen, { nowMs: END - 1 }).methods).toEqual([]);
  });
});

describe('an exchange account', () => {
  const BINANCE = 'EXCHANGE_PAY:BINANCE';
  const DAY_MS = 24 * 3_600_000;
  const healthy = { network: BINANCE, checkedAt: new Date(NOW), keyExpiresAt: null, fault: null, stopped: false };
  const faulty = { ...healthy, fault: 'cannot-read' };
  const offering = (...exchanges: CheckoutFacts['exchanges']): CheckoutFacts => ({
    ...waiting,
    walletNetworks: [BINANCE],
    exchanges,
  });
  const around: Surroundings = { ...surroundings, chains: new Map([chain(BINANCE)]) };
  const shownAs = (facts: CheckoutFacts, changed: Partial<Surroundings> = {}) =>
    methodsOf(facts, { surroundings: { ...around, ...changed } })[`USDT ${BINANCE}`];

  test.each<[string, CheckoutFacts, [string, string | null]]>([
    ['that was checked and has no fault', offering(healthy), ['ready', null]],
    ['with a fault', offering(faulty), ['unavailable', 'account-unavailable']],
    ['that is stopped', offering({ ...healthy, stopped: true }), ['unavailable', 'account-unavailable']],
    [
      'that was not checked for 25 hours',
      offering({ ...healthy, checkedAt: new Date(NOW - 25 * 3_600_000 - 1) }),
      ['unavailable', 'account-unavailable'],
    ],
    [
      'whose key ends within three days',
      offering({ ...healthy, keyExpiresAt: new Date(NOW + 3 * DAY_MS - 1) }),
      ['unavailable', 'account-unavailable'],
    ],
    ['beside a faulty one', offering(faulty, healthy), ['ready', null]],
    [
      'of another platform does not count',
      offering({ ...healthy, network: 'EXCHANGE_PAY:OKX' }),
      ['unavailable', 'account-unavailable'],
    ],
    ['for too small an amount', { ...offering(healthy), amountUsd: '0.49' }, ['ready', 'below-minimum']],
  ])('%s', (_name, facts, expected) => {
    expect(shownAs(facts)).toEqual(expected);
  });

  test('at a platform that is not read is not available', () => {
    expect(shownAs(offering(healthy), { chains: new Map() })).toEqual(['unavailable', 'account-unavailable']);
  });

  test('a coin with too few amounts in its band is not listed', () => {
    const platform = createNetworks().get(BINANCE);
    if (!platform) throw new Error('Binance is not listed.');
    const [first, ...others] = platform.tokens;
    if (!first) throw new Error('Binance has no token.');
    const coarse = { ...platform, tokens: [{ ...first, displayDecimals: 2 }, ...others] };
    const listed = view(offering(healthy), { surroundings: around, networks: new Map([[BINANCE, coarse]]) }).methods;
    expect(listed.map(({ token }) => token)).toEqual(others.map(({ symbol }) => symbol));
  });

  const atBinance: QuoteFact = { ...quote, network: BINANCE, toAddress: '384729105', finality: 'credited' };
  const quoted: CheckoutFacts = { ...offering(healthy), quoteId: 7n, quotes: [atBinance] };

  test('is shown by its id in the words of its platform, with steps and without a QR code or wallets', () => {
    const shown = view(quoted, { surroundings: around });
    expect(shown.quote).toMatchObject({ address: '384729105', qrSvg: '', help: '', links: [], injected: null });
    expect(shown.phrases).toMatchObject({ addressLabel: 'To this Binance ID', transaction: 'Payment ID at Binance' });
    const guide = shown.quote?.guide.replaceAll(/<[^>]+>/g, ' ');
    for (const text of ['Pay, then Send', 'Binance ID  384729105', '50.000317 USDT']) expect(guide).toContain(text);
  });

  test('leaves the words of payments on chains alone', () => {
    expect(view(chosen)).toMatchObject({ phrases: null, quote: { guide: '' } });
    expect(view(chosen).quote?.help).toContain('exactly');
  });

  test('the payment that was seen decides the words, not the quote that is shown', () => {
    const seen = { ...transfer, network: BINANCE, txId: 'P_A1', units: '5000031700' };
    const facts = { ...completed, quotes: [quote, { ...atBinance, id: '8' }], transfers: [seen] };
    const { payment, phrases } = view(facts, { surroundings: around });
    expect(payment).toMatchObject({ txId: 'P_A1', explorerUrl: null, amount: '50.000317', networkName: 'Binance' });
    expect(phrases).toMatchObject({ transaction: 'Payment ID at Binance' });
    expect(view({ ...facts, transfers: [transfer] }).phrases).toBeNull();
  });
});

describe('the payment', () => {
  const onEth: TransferFact = { ...transfer, network: 'ETH', token: 'USDC', units: '50000317', quoteId: '8' };
  const counting: CheckoutFacts = { ...processing, quoteId: 8n, quotes: [ethQuote], transfers: [onEth] };

  test.each<[string, number, number]>([
    ['in the newest block', 1_000, 1],
    ['eleven deep', 990, 11],
    ['deeper than wanted', 900, 12],
    ['above what the node showed last', 1_001, 0],
  ])('blocks are counted where the rule counts them: %s', (_name, height, seen) => {
    const facts = { ...counting, transfers: [{ ...onEth, height }] };
    expect(view(facts).payment?.confirmations).toEqual({ seen, wanted: 12 });
  });

  test('no blocks are counted where the network itself says what is final, or once the invoice is paid', () => {
    expect(view(processing).payment).toMatchObject({ amount: '50.000317', confirmations: null, late: false });
    expect(view({ ...counting, status: 'completed', paidTransferId: 31n }).payment?.confirmations).toBeNull();
  });

  test('is the one that completed the invoice, with its page at the explorer', () => {
    const other = { ...transfer, id: '32', reason: 'already_paid', txId: `0x${'cd'.repeat(32)}` };
    const shown = view({ ...completed, transfers: [other, transfer] });
    expect(shown.payment).toMatchObject({ txId: HASH, explorerUrl: `https://bscscan.com/tx/${HASH}` });
    expect(shown.arrivals.map((one) => one.reason)).toEqual(['already-paid']);
  });

  test('is late when its block is after the end', () => {
    const facts = { ...processing, transfers: [{ ...transfer, timeSeconds: END / 1000 + 1 }] };
    expect(view(facts).payment?.late).toBe(true);
  });
});

test.each<[string, Partial<TransferFact>, { reason: string; amount: string; difference: string | null }]>([
  [
    'short',
    { reason: 'short', units: '49700317000000000000' },
    { reason: 'short', amount: '49.700317', difference: '0.3' },
  ],
  [
    'over',
    { reason: 'over', units: '50000317000000000001' },
    { reason: 'over', amount: '50.000317000000000001', difference: '0.000000000000000001' },
  ],
  ['late', { reason: 'late' }, { reason: 'late', amount: '50.000317', difference: null }],
  [
    'of another token',
    { reason: 'wrong_token', token: 'USDC' },
    { reason: 'wrong-token', amount: '50.000317', difference: null },
  ],
])('a transfer that did not match is shown with what is wrong: %s', (_name, change, expected) => {
  const { arrivals } = view({ ...chosen, transfers: [{ ...transfer, ...change }] });
  expect(arrivals).toMatchObject([expected]);
});

const comparisonOf = (change: Partial<TransferFact>) =>
  view({ ...chosen, transfers: [{ ...transfer, ...change }] }).arrivals[0]?.comparison;

test('what was asked and the signed difference are said where they can be compared', () => {
  expect(comparisonOf({ reason: 'short', units: '49700317000000000000' })).toEqual({
    asked: '50.000317',
    difference: '\u22120.3',
  });
  expect(comparisonOf({ reason: 'over', units: '51000317000000000000' })?.difference).toBe('+1');
  expect(comparisonOf({ reason: 'late' })).toBeNull();
});

test('at most five transfers are shown, newest first', () => {
  const transfers = Array.from({ length: 7 }, (_unused, index) => ({
    ...transfer,
    id: `${40 - index}`,
    reason: 'short',
    txId: `${40 - index}`,
  }));
  expect(view({ ...chosen, transfers }).arrivals.map((one) => one.txId)).toEqual(['40', '39', '38', '37', '36']);
});

describe('the way back to the shop', () => {
  const HOSTILE = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'https:/\\evil',
    'java\nscript:alert(1)',
    'vbscript:x',
    '/path',
    '',
  ];

  test('is given only once it is paid or expired', () => {
    expect(view(completed).returnUrl).toBe('https://shop.example/thanks');
    expect(view({ ...chosen, status: 'expired' }).returnUrl).toBe('https://shop.example/again');
    for (const facts of [waiting, chosen, processing]) expect(view(facts).returnUrl).toBeNull();
  });

  test.each(HOSTILE)('is never %j', (url) => {
    expect(view({ ...completed, completedUrl: url }).returnUrl).toBeNull();
    expect(view({ ...chosen, status: 'expired', expiredUrl: url }).returnUrl).toBeNull();
  });
});

test('a store is shown with its name, logo and colour, and the logo is below the path of the page', () => {
  const facts = { ...waiting, accent: '#ffee00', logo: 'abc.png' };
  expect(view(facts, { basePath: '/pay' }).store).toEqual({
    name: 'Café',
    logoPath: '/pay/bill/logo/abc.png',
    accent: '#ffee00',
    onAccent: '#000000',
  });
});

describe('whom the payer can ask', () => {
  const contact = { supportUrl: 'https://cafe.example/help', supportEmail: 'help@cafe.example' };
  const short = { ...transfer, reason: 'short' };
  const late = { ...transfer, timeSeconds: END / 1000 + 60 };
  test.each<[string, Partial<CheckoutFacts>, boolean]>([
    ['an invoice that waits', chosen, false],
    ['an invoice that is paid', completed, false],
    ['an invoice that has expired', { ...chosen, status: 'expired' }, true],
    ['a payment that is short', { ...chosen, transfers: [short] }, true],
    ['a payment that came late and counts', { ...completed, late: true, transfers: [late] }, true],
  ])('on the page of %s: %s', (_what, facts, isShown) => {
    const shown = view({ ...waiting, ...facts, ...contact }).contact;
    expect(shown !== '').toBe(isShown);
    if (!isShown) return;
    expect(shown).toContain('mailto:help@cafe.example?subject=TID-AAAAAAAAAAAAAAAA"');
    expect(shown).toContain('href="https://cafe.example/help"');
    expect(shown).toContain('TID-AAAAAAAAAAAAAAAA');
  });

  test('is nobody when the store names nobody', () => {
    expect(view({ ...chosen, status: 'expired' }).contact).toBe('');
  });
});

test('views of equal content have the same tag, whenever they were made', () => {
  expect(tagOf(view(chosen, { nowMs: NOW + 5 }))).toBe(tagOf(view({ ...chosen, version: '901' }, { nowMs: NOW })));
  expect(tagOf(view(chosen))).not.toBe(tagOf(view(processing)));
});

describe('what an address names', () => {
  const USDC = { network: 'ETH', token: 'USDC' };
  const other: CheckoutFacts['quotes'][number] = { ...quote, id: '8', ...USDC, tokenAmount: '50.000321' };
  const chosenTwice: CheckoutFacts = { ...chosen, quoteId: 8n, quotes: [quote, other] };
  const first = { network: quote.network, token: quote.token };

  test('is shown, whatever was selected since; the newer selection is announced with its address', () => {
    const { step, quote: shown, elsewhere } = view(chosenTwice, { shown: first });
    expect([step, shown?.amount]).toEqual(['pay', quote.tokenAmount]);
    expect(elsewhere).toContain(`href="/bill/${waiting.transId}?network=ETH&amp;token=USDC"`);
  });

  test('the latest selection is shown where nothing is named, without a notice', () => {
    expect(view(chosenTwice)).toMatchObject({ step: 'pay', quote: { amount: '50.000321' }, elsewhere: null });
    expect(view(chosenTwice, { shown: USDC })).toMatchObject({ quote: { amount: '50.000321' }, elsewhere: null });
  });

  test.each<[string, Shown]>([
    ['the choice', 'choice'],
    ['a method that was never chosen', { network: 'SOL', token: 'USDC' }],
    ['nothing that exists', { network: '<x>', token: '"' }],
  ])('%s shows the choice of methods, and never opens a quote by itself', (_name, shown) => {
    for (const nowMs of [NOW, END - 30_000]) {
      const seen = view(chosenTwice, { shown, nowMs });
      expect([seen.step, seen.quote]).toEqual(['choose', null]);
      expect(seen.elsewhere).toContain('network=ETH&amp;token=USDC');
    }
    expect(view(waiting, { shown }).elsewhere).toBeNull();
  });

  test('no longer matters when the invoice has ended: the paid or the latest selection is shown', () => {
    for (const status of ['completed', 'expired', 'processing'] as const) {
      const seen = view({ ...chosenTwice, status }, { shown: 'choice' });
      expect([seen.quote?.amount, seen.elsewhere]).toEqual(['50.000321', null]);
    }
    expect(view(chosenTwice, { shown: first, nowMs: END + 1 })).toMatchObject({ step: 'checking', elsewhere: null });
  });

  test('other quotes are listed, the newest first and only a few', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ ...quote, id: String(20 + index), token: `T${index}` }));
    const { otherQuotes } = view({ ...chosen, quotes: [quote, ...many] }, { shown: first });
    expect(otherQuotes.map(({ token }) => token)).toEqual(['T8', 'T7', 'T6', 'T5', 'T4']);
  });
});

test('an amount that cannot be read is an error, never an invoice over nothing', () => {
  expect(() => view({ ...waiting, amountUsd: 'NaN' })).toThrow('NaN is not an amount');
});
