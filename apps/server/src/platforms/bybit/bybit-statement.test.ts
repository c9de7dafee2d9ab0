import { describe, expect, test } from 'vitest';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { EXCHANGE_NETWORKS } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { bybitRow, decodeBybitPage } from './bybit-statement.ts';

const NETWORK = EXCHANGE_NETWORKS.find(({ id }) => id === 'EXCHANGE_PAY:BYBIT') as ExchangeNetwork;

/** The documentation's example of a deposit, in another coin. */
const DEPOSIT = {
  id: '1103',
  amount: '0.1',
  type: 1,
  coin: 'USDT',
  address: 'xxxx***@example.com',
  status: 2,
  createdTime: '1705393280',
  fromMemberId: '118027304',
  txID: '77c37e5c-d9fa-41e5-bd13-c9b59d95',
  taxDepositRecordsId: '0',
  taxStatus: 0,
};

type Changes = Partial<Record<keyof typeof DEPOSIT | 'complianceStatus', unknown>>;
const pageOf = (changes: Changes) => ({ result: { rows: [{ ...DEPOSIT, ...changes }], nextPageCursor: '' } });

function rowOf(changes: Changes) {
  const [deposit] = decodeBybitPage(pageOf(changes)).rows;
  return deposit && bybitRow(NETWORK, deposit);
}

describe('internal deposits of Bybit', () => {
  test('one is a row with both ids, who paid, and its time in milliseconds', () => {
    expect(rowOf({})).toEqual({
      id: '1103',
      otherId: '77c37e5c-d9fa-41e5-bd13-c9b59d95',
      token: 'USDT',
      units: 10_000_000n,
      atMs: 1_705_393_280_000,
      from: '118027304',
      state: 'final',
    });
  });

  test.each([
    [1, 'pending'],
    [2, 'final'],
    [3, 'failed'],
    [0, 'pending'],
    [4, 'pending'],
  ])('status %i is %s: only the last word of the platform is final', (status, expected) => {
    expect(rowOf({ status })?.state).toBe(expected);
  });

  test.each([
    [{ type: 2 }, 'pending'],
    [{ complianceStatus: 0 }, 'final'],
    [{ complianceStatus: 1 }, 'pending'],
    [{ complianceStatus: 2 }, 'pending'],
    [{ complianceStatus: 3 }, 'final'],
    [{ complianceStatus: 9 }, 'pending'],
    [{ status: 3, complianceStatus: 1 }, 'failed'],
  ])('a deposit with %o is %s', (changes, expected) => {
    expect(rowOf(changes)?.state).toBe(expected);
  });

  test('who paid is the masked text where no id is given', () => {
    expect(rowOf({ fromMemberId: '' })?.from).toBe('xxxx***@example.com');
    expect(rowOf({ fromMemberId: '0' })?.from).toBe('xxxx***@example.com');
    expect(rowOf({ fromMemberId: undefined })?.from).toBe('xxxx***@example.com');
  });

  test('a deposit without a transaction has one id', () => {
    expect(rowOf({ txID: '' })).not.toHaveProperty('otherId');
  });

  test.each([{ coin: 'ETH' }, { amount: '0' }, { amount: '-1' }])('%o is no row', (changes) => {
    expect(rowOf(changes)).toBeUndefined();
  });

  test.each([undefined, null, {}, 7.5])('what only helps people keeps no payment out: %o', (odd) => {
    expect(rowOf({ address: odd, txID: odd, fromMemberId: odd })).toMatchObject({ id: '1103', from: '' });
  });

  test('a deposit of another coin keeps no payment out, whatever it holds', () => {
    expect(rowOf({ coin: 'ETH', id: null, amount: null, status: '2' })).toBeUndefined();
  });

  test.each([{ createdTime: '1705393280000' }, { createdTime: 1_705_393_280 }])(
    'a page with %o is refused whole: nobody could say where the row belongs',
    (changes) => {
      expect(() => rowOf(changes)).toThrow(SourceError);
    },
  );

  test.each([{ amount: 0.1 }, { amount: '0.123456789' }, { status: '2' }, { type: undefined }])(
    'a deposit with %o is an unclear row',
    (changes) => {
      expect(rowOf(changes)).toEqual({
        id: '1103',
        token: 'USDT',
        units: 0n,
        atMs: 1_705_393_280_000,
        from: '',
        state: 'unclear',
      });
    },
  );

  test.each([{ id: '' }, { id: 1103 }])('a deposit with %o is an unclear row that is known by its time', (changes) => {
    expect(rowOf(changes)).toMatchObject({ id: 'unreadable 1705393280000', state: 'unclear' });
  });
});
