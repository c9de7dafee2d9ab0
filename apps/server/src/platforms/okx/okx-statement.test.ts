import { describe, expect, test } from 'vitest';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { EXCHANGE_NETWORKS } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { decodeOkxPage, okxRow } from './okx-statement.ts';

const NETWORK = EXCHANGE_NETWORKS.find(({ id }) => id === 'EXCHANGE_PAY:OKX') as ExchangeNetwork;

/** The documentation's example of a deposit, as an internal transfer. */
const DEPOSIT = {
  actualDepBlkConfirm: '',
  amt: '1',
  areaCodeFrom: '',
  ccy: 'USDT',
  chain: '',
  depId: '88123433',
  from: 'ab***@example.com',
  fromWdId: '67890123',
  state: '2',
  to: '',
  ts: '1674038705000',
  txId: '88123433',
};

type Changes = Partial<Record<keyof typeof DEPOSIT, unknown>>;

function rowOf(changes: Changes) {
  const [deposit] = decodeOkxPage({ code: '0', msg: '', data: [{ ...DEPOSIT, ...changes }] });
  return deposit && okxRow(NETWORK, deposit);
}

describe('deposits of OKX', () => {
  test('an internal transfer is a row with both ids that it is known by', () => {
    expect(rowOf({})).toEqual({
      id: '88123433',
      otherId: '67890123',
      token: 'USDT',
      units: 100_000_000n,
      atMs: 1_674_038_705_000,
      from: 'ab***@example.com',
      state: 'final',
    });
  });

  test.each([
    ['0', 'pending'],
    ['1', 'pending'],
    ['2', 'final'],
    ['8', 'pending'],
    ['11', 'failed'],
    ['12', 'pending'],
    ['13', 'pending'],
    ['14', 'pending'],
    ['17', 'pending'],
    ['99', 'pending'],
    ['', 'pending'],
  ])('state "%s" is %s: only the last word of the platform is final', (state, expected) => {
    expect(rowOf({ state })?.state).toBe(expected);
  });

  test.each([
    ['another coin', { ccy: 'BTC' }],
    ['nothing', { amt: '0' }],
    ['nothing, with decimals', { amt: '0.00000000' }],
    ['less than nothing', { amt: '-5' }],
  ])('%s is no row', (_name, changes) => {
    expect(rowOf(changes)).toBeUndefined();
  });

  test.each(['12.3456789', '12.34567890', '999999999999.99999999'])('the amount %s is read exactly', (amt) => {
    const [whole = '', fraction = ''] = amt.split('.');
    expect(rowOf({ amt })?.units).toBe(BigInt(whole + fraction.slice(0, 8).padEnd(8, '0')));
  });

  test.each(['0.123456789', '1,5', '', 'NaN', '+1', ' 1'])(
    'the amount "%s" makes an unclear row, never a guess',
    (amt) => {
      expect(rowOf({ amt })).toEqual({
        id: '88123433',
        token: 'USDT',
        units: 0n,
        atMs: 1_674_038_705_000,
        from: '',
        state: 'unclear',
      });
    },
  );

  test.each([
    ['1', 100_000_000n],
    ['NaN', 0n],
  ])('a deposit of %s that names a receiving address is an unclear row', (amt, units) => {
    expect(rowOf({ amt, to: 'TN4hGjVXMzy9b4N1aGizqs' })).toMatchObject({ id: '88123433', units, state: 'unclear' });
  });

  test('a transfer that names no withdrawal has one id', () => {
    expect(rowOf({ fromWdId: '' })).not.toHaveProperty('otherId');
  });

  test.each([undefined, null, {}, 7.5])('what only helps people keeps no payment out: %o', (odd) => {
    expect(rowOf({ from: odd, fromWdId: odd })).toMatchObject({ id: '88123433', from: '' });
  });

  test('a deposit of another coin keeps no payment out, whatever it holds', () => {
    expect(rowOf({ ccy: 'BTC', amt: null, state: 7, to: undefined })).toBeUndefined();
  });

  test.each([{ amt: 1 }, { to: undefined }, { state: 2 }])('a deposit with %o is an unclear row', (changes) => {
    expect(rowOf(changes)).toMatchObject({ id: '88123433', state: 'unclear' });
  });

  test.each([
    ['no list', { code: '0' }],
    ['no id', { data: [{ ...DEPOSIT, depId: '' }] }],
    ['seconds for a time', { data: [{ ...DEPOSIT, ts: '1674038705' }] }],
  ])('a page with %s is refused whole', (_name, page) => {
    expect(() => decodeOkxPage(page)).toThrow(SourceError);
  });
});
