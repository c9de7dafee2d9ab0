import { expect, test } from 'vitest';
import { drawRecoveryCodes, hashRecoveryCode } from './recovery-code.ts';

test('ten different codes are drawn, without letters that look like digits', () => {
  const codes = drawRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  expect(codes.every((code) => /^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/.test(code))).toBe(true);
});

test('a code is recognised however it is written', () => {
  const hash = hashRecoveryCode(1n, 'ABCDE-FGH23');
  expect(hash).toBeDefined();
  for (const written of ['abcde-fgh23', 'ABCDEFGH23', ' abcde fgh23 ', 'AB-CD-EF-GH-23'])
    expect(hashRecoveryCode(1n, written)).toEqual(hash);
});

test('the same code of another person has another hash', () => {
  expect(hashRecoveryCode(2n, 'ABCDE-FGH23')).not.toEqual(hashRecoveryCode(1n, 'ABCDE-FGH23'));
});

test.each(['', 'ABCDE', 'ABCDE-FGH2', 'ABCDE-FGH234', 'ABCDE-FGH2O', 'ABCDE-FGH2!'])(
  '%j is no recovery code',
  (text) => {
    expect(hashRecoveryCode(1n, text)).toBeUndefined();
  },
);
