import { describe, expect, test } from 'vitest';
import { normalizeAddress } from './address.ts';

const EVM = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
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
    ['evm', EVM.slice(0, -1), 'too short'],
    ['evm', EVM.slice(2), 'no prefix'],
    ['evm', `0x${'0'.repeat(40)}`, 'zero address'],
    ['evm', TRON, 'another family'],
    ['evm', '', 'empty'],
    ['tron', `${TRON.slice(0, -1)}s`, 'wrong checksum'],
    ['tron', EVM, 'another family'],
    ['tron', SOLANA, 'another family'],
    ['solana', `${SOLANA}1`, 'too long'],
    ['solana', '11111111111111111111111111111111', 'system program'],
    ['solana', TRON, 'another family'],
    ['solana', 'O0Il', 'not base58'],
  ] as const)('%s %s: %s', (family, text, _why) => {
    expect(normalizeAddress(family, text)).toBeUndefined();
  });
});
