import { expect, test } from 'vitest';
import { strengthOf } from '../src/forms/password-strength.ts';

test.each([
  ['nothing', '', 'weak'],
  ['eleven characters', 'horse-stapl', 'weak'],
  ['twelve characters of two kinds', 'abababababab', 'weak'],
  ['twelve characters that are mostly spaces', 'ab cd       e', 'weak'],
  ['twelve characters', 'horse-staple', 'fair'],
  ['sixteen characters of five kinds', 'abcdeabcdeabcdea', 'fair'],
  ['three words', 'correct horse battery', 'strong'],
  ['sixteen characters of any script', 'Ünïcodé-шифр-密码字', 'strong'],
] as const)('a password of %s has the strength %s', (_what, password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});
