import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { fc } from '../../../rig/fakes/seeded-properties.ts';
import { createChecksumAddress } from './checksum-address.ts';

const DIGITS = '0123456789abcdefABCDEF'.split('');
const fortyDigits = fc.array(fc.constantFrom(...DIGITS), { minLength: 40, maxLength: 40 });

test('every address is shown as others show it, also when it is asked for again', () => {
  const checksum = createChecksumAddress();
  fc.assert(
    fc.property(fortyDigits, (digits) => {
      const address = `0x${digits.join('')}`;
      expect(checksum(address)).toBe(getAddress(address));
      expect(checksum(address)).toBe(getAddress(address));
    }),
  );
});

test.each(['', '0x', '0xabc', `0x${'g'.repeat(40)}`, `0x${'a'.repeat(41)}`])('%j is no sender', (text) => {
  expect(() => createChecksumAddress()(text)).toThrow('A sender is not an address.');
});
