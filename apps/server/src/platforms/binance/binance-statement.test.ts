import { describe, expect, test } from 'vitest';
import { EXCHANGE_NETWORKS } from '../../networks/exchange-networks.ts';
import { decodeDeposits, decodePay } from './binance-statement.ts';

const network = EXCHANGE_NETWORKS.find(({ id }) => id === 'EXCHANGE_PAY:BINANCE');
if (!network) throw new Error('There is no Binance.');

/** A row of Pay as https://github.com/JKorf/Binance.Net/issues/1375 saw it. */
const PAY_ROW = {
  uid: 70_000_002,
  counterpartyId: 579_313_011,
  orderId: '294163557804187651',
  note: '',
  orderType: 'C2C',
  transactionId: 'P_A1JM7ZT9MM571112',
  transactionTime: 1_714_817_381_912,
  amount: '5',
  currency: 'USDT',
  walletType: 1,
  walletTypes: ['1'],
  fundsDetail: [{ currency: 'USDT', amount: '5' }],
  payerInfo: { name: 'Jack', type: 'USER', accountId: '67736251' },
  receiverInfo: { binanceId: 70_000_002 },
};
const pay = (...rows: object[]) =>
  decodePay(network, { code: '000000', message: 'success', data: rows, success: true });
const payRow = (facts: object) => pay({ ...PAY_ROW, ...facts }).rows;

/**
 * The first row of https://developers.binance.com/docs/wallet/capital/deposite-history, changed to an internal deposit
 * of a coin that we list.
 */
const DEPOSIT = {
  id: '769800519366885376',
  amount: '0.001',
  coin: 'USDT',
  network: 'BNB',
  status: 1,
  address: 'bnb136ns6lfw4zs5hg4n85vdthaad7hq5m4gtkgf23',
  txId: 'Internal transfer 98765',
  insertTime: 1_661_493_146_000,
  completeTime: 1_661_493_146_000,
  transferType: 1,
  confirmTimes: '1/1',
  travelRuleStatus: 0,
};
const deposit = (facts: object) => decodeDeposits(network, [{ ...DEPOSIT, ...facts }]).rows;

describe('rows of Pay', () => {
  test('a payment of another user is final, with both of its ids', () => {
    expect(payRow({})).toEqual([
      {
        id: 'P_A1JM7ZT9MM571112',
        otherId: '294163557804187651',
        token: 'USDT',
        units: 500_000_000n,
        atMs: 1_714_817_381_912,
        from: '67736251',
        state: 'final',
      },
    ]);
  });

  test.each([
    ['PAY', 'final'],
    ['C2C_HOLDING', 'pending'],
    ['C2C_HOLDING_RF', 'failed'],
    ['CRYPTO_BOX', 'pending'],
    ['PAYOUT', 'pending'],
    ['REMITTANCE', 'pending'],
    ['SOMETHING_NEW', 'pending'],
  ])('%s is %s', (orderType, state) => {
    expect(payRow({ orderType })).toMatchObject([{ state }]);
  });

  test('a refund that the account gave is a refund; money of its own that came back is no row', () => {
    expect(payRow({ orderType: 'PAY_REFUND', amount: '-5' })).toMatchObject([{ units: 500_000_000n, state: 'refund' }]);
    expect(payRow({ orderType: 'PAY_REFUND' })).toEqual([]);
    expect(payRow({ orderType: 'CRYPTO_BOX_RF' })).toEqual([]);
  });

  test('what the account spent, nothing at all, and other coins are no rows, but count as listed', () => {
    const others = [{ amount: '-5' }, { amount: '0' }, { amount: '0.00' }, { currency: 'DOGE', amount: 'much' }];
    for (const facts of others) expect(pay({ ...PAY_ROW, ...facts })).toEqual({ listed: 1, rows: [] });
  });

  test('fields that are not documented are not needed, nor who paid', () => {
    const { orderId: _, payerInfo: __, ...documented } = PAY_ROW;
    expect(pay(documented).rows).toMatchObject([{ id: PAY_ROW.transactionId, from: '' }]);
    expect(pay(documented).rows[0]).not.toHaveProperty('otherId');
    for (const odd of [null, '', {}, [], 7.5, { accountId: null, name: null }, { accountId: '', name: {} }])
      expect(payRow({ payerInfo: odd, orderId: null })).toMatchObject([{ from: '' }]);
    expect(payRow({ payerInfo: { accountId: 67_736_251 } })).toMatchObject([{ from: '67736251' }]);
    expect(payRow({ payerInfo: { name: 'x'.repeat(500) } })[0]?.from).toHaveLength(100);
  });

  test.each([
    ['an amount that is a number', { amount: 5 }],
    ['an amount with more decimals than the token has', { amount: '5.000000001' }],
    ['a type that is none', { orderType: null }],
  ])('%s makes an unclear row, not one that is passed over', (_, facts) => {
    expect(pay({ ...PAY_ROW, ...facts }, { ...PAY_ROW, transactionId: 'P_OTHER' }).rows).toMatchObject([
      { id: PAY_ROW.transactionId, token: 'USDT', units: 0n, atMs: PAY_ROW.transactionTime, state: 'unclear' },
      { id: 'P_OTHER', state: 'final' },
    ]);
  });

  test('a row without an id is unclear, and known by its time', () => {
    expect(payRow({ transactionId: '' })).toMatchObject([
      { id: `unreadable ${PAY_ROW.transactionTime}`, state: 'unclear' },
    ]);
  });

  test('a row without a time refuses the answer: nobody could say where it belongs', () => {
    expect(() => payRow({ transactionTime: 1_714_817_381.9 })).toThrow(
      expect.objectContaining({ kind: 'inconsistent' }),
    );
  });

  test('a refund that has the id of its payment is another row', () => {
    const refund = { ...PAY_ROW, orderType: 'PAY_REFUND', amount: '-5', transactionTime: 1_714_817_399_000 };
    const ids = pay(PAY_ROW, refund).rows.map(({ id }) => id);
    expect(ids).toEqual([PAY_ROW.transactionId, `refund 1714817399000 ${PAY_ROW.transactionId}`]);
  });

  test('an answer that does not say that it succeeded is an error, never an empty list', () => {
    for (const answer of [
      {},
      [],
      null,
      { code: '000001', success: true, data: [] },
      { code: '000000', success: false, data: [] },
      { code: '000000', success: true },
    ])
      expect(() => decodePay(network, answer)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
  });
});

describe('deposits', () => {
  test('an internal one that was credited is final', () => {
    expect(deposit({})).toEqual([
      {
        id: '769800519366885376',
        otherId: 'Internal transfer 98765',
        token: 'USDT',
        units: 100_000n,
        atMs: 1_661_493_146_000,
        from: '',
        state: 'final',
      },
    ]);
  });

  test.each([
    [0, 'pending'],
    [6, 'pending'],
    [8, 'pending'],
    [1, 'final'],
    [2, 'failed'],
    [7, 'failed'],
    [99, 'pending'],
  ])('status %i is %s', (status, state) => {
    expect(deposit({ status })).toMatchObject([{ state }]);
  });

  test('a deposit that still needs a word about its sender is pending', () => {
    expect(deposit({ travelRuleStatus: 1 })).toMatchObject([{ state: 'pending' }]);
    expect(deposit({ travelRuleStatus: undefined })).toMatchObject([{ state: 'final' }]);
  });

  test('deposits from a chain and of other coins are no rows, but count as listed', () => {
    const rows = [
      { ...DEPOSIT, transferType: 0 },
      { ...DEPOSIT, coin: 'BNB' },
    ];
    expect(decodeDeposits(network, rows)).toEqual({ listed: 2, rows: [] });
  });

  test('an answer that is no list is an error', () => {
    for (const answer of [{}, { data: [] }, null, 'x', [{}]])
      expect(() => decodeDeposits(network, answer)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
  });

  test.each([{ transferType: undefined }, { amount: 'NaN' }, { status: '1' }])(
    'one of ours with %o is an unclear row',
    (facts) => {
      expect(deposit(facts)).toMatchObject([
        { id: DEPOSIT.id, units: 0n, atMs: DEPOSIT.insertTime, from: '', state: 'unclear' },
      ]);
    },
  );

  test('a deposit from a chain is no row, even if its amount cannot be read', () => {
    expect(deposit({ transferType: 0, amount: 'NaN' })).toEqual([]);
  });
});
