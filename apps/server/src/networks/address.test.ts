import { getAddress, isAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { normalizeAddress, tronFromHex, tronToHex } from './address.ts';

const EVM = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRON_HEX = '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('an address is taken in its one written form', () => {
  test.each([
    ['evm', EVM, EVM],
    ['evm', EVM.toLowerCase(), EVM],
    ['tron', TRON, TRON],
    ['solana', SOLANA, SOLANA],
  ] as const)('%s %s', (family, text, normal) => {
    expect(normalizeAddress(family, text)).toBe(normal);
  });
});

describe('what is not an address of the family is refused', () => {
  test.each([
    ['evm', EVM.replace('dAC', 'DAC'), 'wrong checksum'],
    ['evm', EVM.toUpperCase().replace('0X', '0x'), 'all capitals are no checksum'],
    ['evm', EVM.slice(0, -1), 'too short'],
    ['evm', EVM.slice(2), 'no prefix'],
    ['evm', `0x${'0'.repeat(40)}`, 'zero address'],
    ['evm', TRON, 'another family'],
    ['evm', '', 'empty'],
    ['tron', `${TRON.slice(0, -1)}s`, 'wrong checksum'],
    ['tron', EVM, 'another family, or a Tron address without a checksum'],
    ['tron', TRON_HEX, 'no checksum'],
    ['tron', `41${TRON_HEX.slice(2)}`, 'no checksum'],
    ['tron', `0x41${TRON_HEX.slice(2)}`, 'no checksum'],
    ['tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'zero address'],
    ['tron', TRON.toLowerCase(), 'another case is another address'],
    ['tron', SOLANA, 'another family'],
    ['solana', `${SOLANA}1`, 'too long'],
    ['solana', '11111111111111111111111111111111', 'system program'],
    ['solana', TRON, 'another family'],
    ['solana', 'O0Il', 'not base58'],
  ] as const)('%s %s: %s', (family, text, _why) => {
    expect(normalizeAddress(family, text)).toBeUndefined();
  });
});

test('an EVM address is taken and written as others take and write it, whatever the case of its letters', () => {
  const digit = fc.constantFrom(...'0123456789abcdefABCDEF'.split(''));
  const address = fc.array(digit, { minLength: 40, maxLength: 40 }).map((digits) => `0x${digits.join('')}`);
  const anyCase = address.chain((text) => fc.constantFrom(text, text.toLowerCase(), getAddress(text)));
  fc.assert(
    fc.property(anyCase, (text) => {
      expect(normalizeAddress('evm', text)).toBe(isAddress(text) ? getAddress(text) : undefined);
    }),
  );
});

describe('a Tron address has one written form and twenty bytes', () => {
  test.each([
    TRON_HEX,
    TRON_HEX.toUpperCase().replace('0X', '0x'),
    TRON_HEX.slice(2),
    `41${TRON_HEX.slice(2)}`,
    `0x41${TRON_HEX.slice(2)}`,
  ])('%s', (text) => {
    expect(tronFromHex(text)).toBe(TRON);
    expect(tronToHex(TRON)).toBe(TRON_HEX);
  });

  test.each(['', '0x', TRON_HEX.slice(0, -1), `${TRON_HEX}00`, `42${TRON_HEX.slice(2)}`, TRON])(
    '%j is not twenty bytes',
    (text) => {
      expect(tronFromHex(text)).toBeUndefined();
    },
  );
});
