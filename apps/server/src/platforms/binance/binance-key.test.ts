import { describe, expect, test } from 'vitest';
import { decodeKeyFacts } from './binance-key.ts';

/**
 * The answer in the example of https://developers.binance.com/docs/wallet/account/api-key-permission, with nothing
 * granted but reading.
 */
const READ_ONLY = {
  ipRestrict: true,
  createTime: 1_623_840_271_000,
  enableReading: true,
  enableWithdrawals: false,
  enableInternalTransfer: false,
  enableMargin: false,
  enableFutures: false,
  permitsUniversalTransfer: false,
  enableVanillaOptions: false,
  enableFixApiTrade: false,
  enableFixReadOnly: true,
  enableSpotAndMarginTrading: false,
};
const ACCOUNT = { canTrade: true, canWithdraw: true, uid: 354_937_868 };
const refusedBy = (facts: object) => decodeKeyFacts({ ...READ_ONLY, ...facts }, ACCOUNT).refusedRights;

test('a key that may only read has no refused right; its account is the id that was read with it', () => {
  expect(decodeKeyFacts(READ_ONLY, ACCOUNT)).toEqual({
    account: '354937868',
    canRead: true,
    refusedRights: [],
    boundToAddresses: true,
    isSubAccount: false,
  });
});

describe('rights', () => {
  const names = Object.entries(READ_ONLY).filter(([, value]) => value === false);
  test.each(names)('%s is refused and named', (name) => {
    expect(refusedBy({ [name]: true })).toEqual([name]);
  });

  test('the example key of the documentation, harmless as it looks, is refused', () => {
    const example = { enableInternalTransfer: true, permitsUniversalTransfer: true };
    expect(refusedBy({ ...example, enablePortfolioMarginTrading: true })).toEqual(Object.keys(example).toSorted());
  });

  test.each([true, false])('a key that may only read is accepted with a tag of portfolio margin that is %s', (tag) => {
    expect(refusedBy({ enablePortfolioMarginTrading: tag })).toEqual([]);
  });

  test.each([true, 1, 0, 'ENABLED', 'true', 'false', '', null, {}, [], ['TRADE']])(
    'a field that nobody knows is refused by its name when it is %o, and not exactly false',
    (value) => {
      for (const name of ['enableGifts', 'withdrawals', 'isWithdrawalAllowed', 'label'])
        expect(refusedBy({ [name]: value })).toEqual([name]);
    },
  );

  test('a field that nobody knows and that is false grants nothing', () => {
    expect(refusedBy({ enableGifts: false, sendsGifts: false })).toEqual([]);
  });

  test('what only informs is listed by name', () => {
    expect(refusedBy({ createTime: 7, tradingAuthorityExpirationTime: 1_628_985_600_000 })).toEqual([]);
  });

  test('a key that may not read says so', () => {
    expect(decodeKeyFacts({ ...READ_ONLY, enableReading: false }, ACCOUNT).canRead).toBe(false);
  });
});

test('answers without the fields that decide are errors', () => {
  expect(() => decodeKeyFacts({ ...READ_ONLY, enableReading: 'true' }, ACCOUNT)).toThrow('list of rights');
  expect(() => decodeKeyFacts({}, ACCOUNT)).toThrow('list of rights');
  expect(() => decodeKeyFacts(READ_ONLY, { uid: 1.5 })).toThrow('account');
  expect(() => decodeKeyFacts(READ_ONLY, {})).toThrow('account');
});
