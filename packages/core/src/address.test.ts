import { describe, expect, test } from 'vitest';
import { findAddressFault, normalizeAddress, shapeOfAddress } from './address.ts';
import { tronFromHex, tronToHex } from './tron-address.ts';

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

describe('the fault of an address that is typed', () => {
  test.each([
    ['evm', EVM, undefined],
    ['evm', EVM.replace('dAC', 'DAC'), 'checksum'],
    ['evm', EVM.toUpperCase(), 'checksum'],
    ['evm', `0x${'0'.repeat(40)}`, 'zero'],
    ['evm', TRON, 'shape'],
    ['tron', `${TRON.slice(0, -1)}s`, 'checksum'],
    ['tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'zero'],
    ['tron', TRON_HEX, 'shape'],
    ['solana', '1'.repeat(32), 'zero'],
    ['solana', '1'.repeat(31), 'shape'],
    ['solana', SOLANA, undefined],
  ] as const)('%s %s: %s', (family, text, fault) => {
    expect(findAddressFault(family, text)).toBe(fault);
  });
});

test.each([
  [EVM, 'evm'],
  [EVM.toUpperCase(), 'evm'],
  [`${TRON.slice(0, -1)}s`, 'tron'],
  [SOLANA, 'solana'],
  ['123456789', 'number'],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'bitcoin'],
  ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT', 'bitcoin'],
  ['ord_1001', undefined],
  ['', undefined],
])('%s has the shape %s', (text, shape) => {
  expect(shapeOfAddress(text)).toBe(shape);
});

test.each([
  ['exchange', '123456789', '123456789'],
  ['exchange', '0123', undefined],
  ['exchange', '123', undefined],
  ['sandbox', EVM, undefined],
] as const)('%s takes %s as %s', (family, text, normal) => {
  expect(normalizeAddress(family, text)).toBe(normal);
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
