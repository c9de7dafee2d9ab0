import { normalizeAddress } from '@counterfoil/core/address.ts';
import { getAddress, isAddress } from 'viem';
import { expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';

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
