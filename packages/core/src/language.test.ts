import { expect, test } from 'vitest';
import { knownLanguage, LANGUAGE_CODES, LANGUAGES } from './language.ts';

test.each([
  ['es', 'es'],
  ['es-MX', 'es'],
  [' ZH-Hant-TW', 'zh'],
  ['eng', undefined],
  ['constructor', undefined],
  ['', undefined],
  [null, undefined],
])('%j is the language %s', (tag, language) => {
  expect(knownLanguage(tag)).toBe(language);
});

test('every language has a name', () => {
  expect(Object.keys(LANGUAGES)).toEqual([...LANGUAGE_CODES]);
});
