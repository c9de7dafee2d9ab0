import { describe, expect, test } from 'vitest';
import { checkAddress } from '../src/pages/wallet/check-address.ts';

const EVM = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('an address that is typed', () => {
  test.each([
    ['evm', EVM],
    ['evm', EVM.toLowerCase()],
    ['evm', ` ${EVM}\n`],
    ['tron', TRON],
    ['solana', SOLANA],
  ] as const)('is good on %s: %s', (family, text) => {
    expect(checkAddress(family, text)).toEqual({ state: 'good' });
  });

  test.each([
    ['evm', TRON, 'tron'],
    ['evm', SOLANA, 'solana'],
    ['tron', EVM, 'evm'],
    ['solana', TRON, 'tron'],
    ['tron', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'bitcoin'],
    ['evm', '123456789', 'number'],
  ] as const)('on %s is called by its own name: %s', (family, text, shape) => {
    expect(checkAddress(family, text)).toEqual({ state: 'foreign', shape });
  });

  test('contradicts itself when a letter is wrong', () => {
    expect(checkAddress('evm', EVM.replace('E0a0', 'e0a0'))).toEqual({ state: 'checksum' });
    expect(checkAddress('tron', TRON.replace('6t', '6u'))).toEqual({ state: 'checksum' });
  });

  test('is counted while it is not whole', () => {
    expect(checkAddress('evm', EVM.slice(0, 20))).toEqual({ state: 'short', length: 20, wanted: '42' });
    expect(checkAddress('tron', 'TR7N')).toEqual({ state: 'short', length: 4, wanted: '34' });
    expect(checkAddress('solana', '')).toEqual({ state: 'empty' });
  });

  test('belongs to nobody, or is none', () => {
    expect(checkAddress('evm', `0x${'0'.repeat(40)}`)).toEqual({ state: 'zero' });
    expect(checkAddress('solana', '1'.repeat(32))).toEqual({ state: 'zero' });
    expect(checkAddress('tron', 'hello there')).toEqual({ state: 'unfit' });
    expect(checkAddress('evm', `${EVM}ff`)).toEqual({ state: 'unfit' });
  });
});
