import { expect, test } from 'vitest';
import { isStorableText } from '../../lib/text.ts';
import { hintSchema } from './hint.ts';

test.each([
  ['a name', 'Jack', 'Jack'],
  ['a number', 77, '77'],
  ['a NUL', 'a\u0000b', 'a b'],
  ['half of a surrogate pair', 'a\uD83Db', 'a b'],
  ['a line break', 'a\nb', 'a b'],
  ['nothing', null, ''],
  ['an object', {}, ''],
])('a hint with %s is stored without what cannot be', (_what, raw, shown) => {
  const hint = hintSchema.parse(raw);
  expect(hint).toBe(shown);
  expect(isStorableText(hint)).toBe(true);
});

test('a long hint is cut between two characters, never within one', () => {
  const smile = '\u{1F600}';
  expect(hintSchema.parse(`${'x'.repeat(99)}${smile}${smile}`)).toBe(`${'x'.repeat(99)}${smile}`);
});
