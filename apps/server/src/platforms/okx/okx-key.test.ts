import { describe, expect, test } from 'vitest';
import { decodeOkxKey } from './okx-key.ts';

const CONFIG = { uid: '44705892343619584', mainUid: '44705892343619584', perm: 'read_only', ip: '' };
const keyOf = (changes: Partial<typeof CONFIG>) => decodeOkxKey({ code: '0', data: [{ ...CONFIG, ...changes }] });

describe('keys of OKX', () => {
  test('a key that may only read is accepted, with the id that a payer sends to', () => {
    expect(keyOf({})).toEqual({
      account: '44705892343619584',
      canRead: true,
      refusedRights: [],
      boundToAddresses: false,
      isSubAccount: false,
    });
  });

  test.each([
    ['read_only,withdraw,trade', ['withdraw', 'trade']],
    ['read_only, trade', ['trade']],
    ['read_only,earn_everything', ['earn_everything']],
    ['trade', ['trade']],
    ['READ_ONLY', ['READ_ONLY']],
  ])('of the rights "%s" these are refused: %s', (perm, refusedRights) => {
    expect(keyOf({ perm }).refusedRights).toEqual(refusedRights);
    expect(keyOf({ perm }).canRead).toBe(perm.split(',').includes('read_only'));
  });

  test('bound addresses and the main account are told', () => {
    expect(keyOf({ ip: '117.37.203.58,117.37.203.57' }).boundToAddresses).toBe(true);
    expect(keyOf({ mainUid: '1' }).isSubAccount).toBe(true);
  });

  test.each([{ perm: '' }, { uid: '' }, { uid: 'me' }])('a description without its facts is refused: %o', (changes) => {
    expect(() => keyOf(changes)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
  });
});
