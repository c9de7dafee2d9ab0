import { describe, expect, test } from 'vitest';
import { EXCHANGE_NETWORKS } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';
import {
  decodeDeposits,
  decodeEntries,
  decodeTradingEntries,
  kucoinRow,
  unclearRows,
  uncreditedRow,
} from './kucoin-statement.ts';

const USDT = EXCHANGE_NETWORKS[0]?.tokens.find(({ symbol }) => symbol === 'USDT') as Token;
const PAGE = 500;

/** The documentation's example of a deposit. */
const DEPOSIT = {
  currency: 'USDT',
  chain: '',
  status: 'SUCCESS',
  address: 'a435*****@gmail.com',
  memo: '',
  isInner: true,
  amount: '1.00000000',
  fee: '0.00000000',
  walletTxId: null,
  createdAt: 1_728_555_875_000,
  updatedAt: 1_728_555_875_000,
  remark: '',
  arrears: false,
};

const ENTRY = {
  id: '265329987780896',
  currency: 'USDT',
  amount: '1',
  fee: '0',
  balance: '0',
  accountType: 'MAIN',
  bizType: 'Deposit',
  direction: 'in',
  createdAt: 1_728_555_875_484,
  context: '',
};

/** The id of the example until its ledger entry gives it one. */
const FACTS = 'deposit USDT 1728555875000 100000000';

const pageOf = (item: Record<string, unknown>, totalNum = 1) => ({ code: '200000', data: { totalNum, items: [item] } });
const depositOf = (changes: Partial<Record<keyof typeof DEPOSIT, unknown>>) =>
  decodeDeposits(pageOf({ ...DEPOSIT, ...changes }), USDT, PAGE).rows[0];
const entryOf = (changes: Partial<Record<keyof typeof ENTRY, unknown>>) =>
  decodeEntries(pageOf({ ...ENTRY, ...changes }), USDT, PAGE).rows[0];

describe('deposits of KuCoin', () => {
  test('an internal one says what became of it, and has no id', () => {
    expect(depositOf({})).toEqual({
      units: 100_000_000n,
      isInternal: true,
      state: 'final',
      isBooked: true,
      transaction: '',
      createdMs: 1_728_555_875_000,
      updatedMs: 1_728_555_875_000,
    });
  });

  test.each([
    [{ status: 'PROCESSING' }, 'pending'],
    [{ status: 'SUCCESS' }, 'final'],
    [{ status: 'SUCCESS', arrears: true }, 'pending'],
    [{ status: 'SUCCESS', arrears: null }, 'final'],
    [{ status: 'FAILURE' }, 'failed'],
    [{ status: 'FAILURE', arrears: true }, 'failed'],
    [{ status: 'WAIT_TRM_MGT' }, 'pending'],
    [{ status: 'TRM_MGT_REJECTED' }, 'failed'],
    [{ status: 'success' }, 'pending'],
  ])('%o is %s: only the last word of the platform is final', (changes, state) => {
    expect(depositOf(changes)?.state).toBe(state);
  });

  test.each([{ currency: 'BTC' }, { amount: '0' }, { amount: '-1' }])('%o is none of ours', (changes) => {
    expect(depositOf(changes)).toBeUndefined();
  });

  test('one that was credited stays booked while the exchange account owes something', () => {
    expect(depositOf({ arrears: true })).toMatchObject({ state: 'pending', isBooked: true });
    expect(depositOf({ status: 'PROCESSING' })).toMatchObject({ state: 'pending', isBooked: false });
  });

  test.each([{ createdAt: 1_728_555_875 }, { createdAt: '1728555875000' }])(
    'a page with %o is refused whole: nobody could say where the row belongs',
    (changes) => {
      expect(() => depositOf(changes)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
    },
  );

  test.each([{ amount: 1 }, { amount: '1.123456789' }, { isInner: undefined }, { updatedAt: null }, { status: 7 }])(
    'one with %o cannot be read, and may be a payment',
    (changes) => {
      expect(depositOf(changes)).toMatchObject({
        units: undefined,
        isInternal: true,
        state: 'pending',
        isBooked: false,
      });
    },
  );

  test('one from a chain that cannot be read is still from a chain', () => {
    expect(depositOf({ amount: 'NaN', isInner: false })).toMatchObject({ units: undefined, isInternal: false });
  });

  test('a page that lacks rows is refused, one of many pages only counts them', () => {
    expect(() => decodeDeposits(pageOf(DEPOSIT, 2), USDT, PAGE)).toThrow(
      expect.objectContaining({ kind: 'inconsistent' }),
    );
    expect(() => decodeDeposits(pageOf(DEPOSIT, 0), USDT, PAGE)).toThrow(
      expect.objectContaining({ kind: 'inconsistent' }),
    );
    expect(decodeDeposits(pageOf(DEPOSIT, 7), USDT, 1).listed).toBe(7);
  });
});

describe('the ledger of KuCoin', () => {
  test('an entry of a deposit has an id of its own and the time of the event', () => {
    expect(entryOf({})).toEqual({
      id: '265329987780896',
      units: 100_000_000n,
      transaction: '',
      atMs: 1_728_555_875_484,
    });
  });

  test.each([
    ['{"orderId":"62ff65c635b82d00014838a6","txId":"0e268b21@488d0739"}', '0e268b21@488d0739'],
    ['{"orderId":"62ff65c635b82d00014838a6"}', ''],
    ["{'symbol':'CSP-USDT'}", ''],
    ['null', ''],
    [null, ''],
  ])('an entry with the context %s names the transaction "%s"', (context, transaction) => {
    expect(entryOf({ context })?.transaction).toBe(transaction);
  });

  test('the ledger of the trading account has its times as text, and no pages', () => {
    const trading = { ...ENTRY, accountType: 'TRADE_HF', bizType: 'DEPOSIT', createdAt: '1728555875484' };
    const others = [
      { ...trading, bizType: 'TRANSFER' },
      { ...trading, bizType: 'TRADE_EXCHANGE' },
    ];
    expect(decodeTradingEntries({ code: '200000', data: [trading, ...others] }, USDT)).toEqual({
      listed: 3,
      rows: [{ id: '265329987780896', units: 100_000_000n, transaction: '', atMs: 1_728_555_875_484 }],
    });
    expect(() => decodeTradingEntries({ code: '200000', data: { items: [] } }, USDT)).toThrow(
      expect.objectContaining({ kind: 'inconsistent' }),
    );
  });

  test.each([{ direction: 'out' }, { bizType: 'Transfer' }, { currency: 'USDC' }, { amount: '0' }])(
    'an entry with %o is no deposit of ours, whatever was asked for',
    (changes) => {
      expect(entryOf(changes)).toBeUndefined();
    },
  );

  test('an entry whose amount cannot be read keeps its id', () => {
    expect(entryOf({ amount: 1 })).toMatchObject({ id: '265329987780896', units: undefined });
  });

  test('a deposit without an entry has its facts for an id, and entries that may be its own are unclear too', () => {
    const [deposit] = decodeDeposits(pageOf(DEPOSIT), USDT, PAGE).rows;
    const entry = entryOf({});
    if (!deposit || !entry) throw new Error('The examples are not read.');
    const unclear = { token: 'USDT', atMs: 1_728_555_875_000, from: '', state: 'unclear' };
    expect(unclearRows(USDT, deposit, [entry])).toEqual([
      { ...unclear, id: FACTS, provisionalId: FACTS, units: 100_000_000n },
      { ...unclear, id: '265329987780896', units: 0n },
    ]);
    expect(unclearRows(USDT, { ...deposit, units: undefined }, [])).toMatchObject([
      { id: 'deposit USDT 1728555875000 unreadable', units: 0n },
    ]);
  });

  test.each([
    [{ status: 'PROCESSING' }, 'pending'],
    [{ status: 'FAILURE' }, 'failed'],
    [{ status: 'SUCCESS' }, undefined],
    [{ status: 'PROCESSING', isInner: false }, undefined],
    [{ status: 'PROCESSING', amount: 'NaN' }, undefined],
  ])('a deposit with %o has the row of an uncredited one in the state %s', (changes, state) => {
    const deposit = depositOf(changes);
    if (!deposit) throw new Error('The example is not read.');
    const facts = { id: FACTS, provisionalId: FACTS, token: 'USDT', units: 100_000_000n, atMs: 1_728_555_875_000 };
    expect(uncreditedRow(USDT, deposit)).toEqual(state && { ...facts, from: '', state });
  });

  test('the row takes id and amount from the entry, and its time and state from the deposit', () => {
    const deposit = decodeDeposits(pageOf({ ...DEPOSIT, walletTxId: 'abc@1' }), USDT, PAGE).rows[0];
    const entry = entryOf({});
    if (!deposit || entry?.units === undefined) throw new Error('The examples are not read.');
    expect(kucoinRow(USDT, { ...entry, units: entry.units }, deposit)).toEqual({
      id: '265329987780896',
      provisionalId: FACTS,
      otherId: 'abc@1',
      token: 'USDT',
      units: 100_000_000n,
      atMs: 1_728_555_875_000,
      from: '',
      state: 'final',
    });
  });
});
