import { describe, expect, test } from 'vitest';
import { decodeKucoinKey } from './kucoin-key.ts';

/** The documentation's example of a key, with one right. */
const KEY = {
  remark: 'account1',
  apiKey: '6705f5c311545b000157d3eb',
  apiVersion: 3,
  permission: 'General',
  ipWhitelist: '203.0.113.154,203.0.113.34',
  createdAt: 1_728_443_843_000,
  uid: 165_111_215,
  isMaster: true,
};

const keyOf = (changes: Partial<Record<keyof typeof KEY | 'expire', unknown>>) =>
  decodeKucoinKey({ code: '200000', data: { ...KEY, ...changes } });

describe('keys of KuCoin', () => {
  test('a key that may only read is accepted, with the id that a payer sends to', () => {
    expect(keyOf({})).toEqual({
      account: '165111215',
      canRead: true,
      refusedRights: [],
      boundToAddresses: true,
      isSubAccount: false,
    });
  });

  test.each([
    [
      'General,Futures,Spot,Earn,InnerTransfer,Transfer,Margin',
      ['Futures', 'Spot', 'Earn', 'InnerTransfer', 'Transfer', 'Margin'],
    ],
    ['General, Transfer', ['Transfer']],
    ['General,Tomorrow', ['Tomorrow']],
    ['Spot', ['Spot']],
    ['general', ['general']],
  ])('of the rights "%s" these are refused: %s', (permission, refusedRights) => {
    expect(keyOf({ permission })).toMatchObject({
      refusedRights,
      canRead: permission.split(',').includes('General'),
    });
  });

  test('bound addresses and the main account are told', () => {
    for (const ipWhitelist of ['', null, undefined]) expect(keyOf({ ipWhitelist }).boundToAddresses).toBe(false);
    expect(keyOf({ isMaster: false }).isSubAccount).toBe(true);
  });

  test.each([
    [30, KEY.createdAt + 30 * 86_400_000],
    [360, KEY.createdAt + 360 * 86_400_000],
    [-1, undefined],
    [0, undefined],
    ['90', undefined],
    [undefined, undefined],
  ])('a key that was made to end after %s days ends at %s', (expire, expiresAtMs) => {
    expect(keyOf({ expire }).expiresAtMs).toBe(expiresAtMs);
  });

  test.each([{ permission: '' }, { permission: ['General'] }, { uid: '' }, { uid: 0 }, { isMaster: 'true' }])(
    'a description without its facts is refused: %o',
    (changes) => {
      expect(() => keyOf(changes)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
    },
  );
});
