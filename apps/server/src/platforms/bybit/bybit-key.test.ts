import { describe, expect, test } from 'vitest';
import { decodeBybitKey } from './bybit-key.ts';

/** The documentation's example of a key that only reads. */
const KEY = {
  id: '2208369',
  readOnly: 1,
  permissions: {
    ContractTrade: ['Order', 'Position'],
    Spot: ['SpotTrade'],
    Wallet: ['AccountTransfer', 'SubMemberTransfer'],
    Options: [],
    Derivatives: ['DerivativesTrade'],
    CopyTrading: [],
    BlockTrade: [],
    Exchange: ['ExchangeHistory'],
    NFT: [],
    Affiliate: [],
    Earn: ['Earn'],
    FiatP2P: ['FiatP2POrder', 'Advertising'],
    FiatConvertBroker: ['FiatConvertBrokerOrder'],
    FiatGlobalPay: [],
    FiatBitPay: ['FaitPayOrder'],
    BitCard: ['BitCard'],
    ByXPost: ['ByXPost'],
  },
  ips: ['18.181.170.164', '13.212.45.47'],
  type: 1,
  deadlineDay: -2,
  expiredAt: '1970-01-01T00:00:00Z',
  userID: 1_448_939,
  isMaster: true,
};

const keyOf = (changes: Partial<Record<keyof typeof KEY, unknown>>) =>
  decodeBybitKey({ retCode: 0, result: { ...KEY, ...changes } });

describe('keys of Bybit', () => {
  test('the key of the example, which only reads, is accepted', () => {
    expect(keyOf({})).toEqual({
      account: '1448939',
      refusedRights: [],
      boundToAddresses: true,
      isSubAccount: false,
    });
  });

  test('a key that also writes is refused, whatever its rights', () => {
    expect(keyOf({ readOnly: 0 }).refusedRights).toContain('Wallet.AccountTransfer');
    expect(keyOf({ readOnly: 0, permissions: {} }).refusedRights).toEqual(['readOnly=0']);
    expect(keyOf({ readOnly: 2, permissions: {} }).refusedRights).toEqual(['readOnly=2']);
  });

  test.each([
    [{ Wallet: ['AccountTransfer', 'Withdraw'] }, ['Wallet.Withdraw']],
    [{ Tomorrow: ['Everything'] }, ['Tomorrow.Everything']],
    [{ Affiliate: ['Affiliate'] }, ['Affiliate.Affiliate']],
    [{ toString: ['call'] }, ['toString.call']],
  ])('of the rights %o these are refused: %s', (permissions, refusedRights) => {
    expect(keyOf({ permissions }).refusedRights).toEqual(refusedRights);
  });

  test('bound addresses, the end and the main account are told', () => {
    expect(keyOf({ ips: ['*'] }).boundToAddresses).toBe(false);
    expect(keyOf({ ips: [] }).boundToAddresses).toBe(false);
    expect(keyOf({ expiredAt: '2027-01-02T03:04:05Z' }).expiresAtMs).toBe(Date.UTC(2027, 0, 2, 3, 4, 5));
    expect(keyOf({ expiredAt: undefined })).not.toHaveProperty('expiresAtMs');
    expect(keyOf({ isMaster: false }).isSubAccount).toBe(true);
  });

  test.each([{ readOnly: true }, { userID: 0 }, { permissions: ['Wallet'] }, { isMaster: undefined }])(
    'a description without its facts is refused: %o',
    (changes) => {
      expect(() => keyOf(changes)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
    },
  );
});
