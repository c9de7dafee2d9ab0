import { describe, expect, test } from 'vitest';
import { chooseLanguage, LANGUAGES } from '../src/language.ts';
import { en } from '../src/locales/en.ts';
import type { Phrase } from '../src/text.ts';
import { duration, speak } from '../src/text.ts';

const keys = Object.keys(en) as (keyof typeof en)[];
const forms = (phrase: Phrase) => (typeof phrase === 'string' ? [phrase] : Object.values(phrase));
const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').toSorted();

describe.each(Object.entries(LANGUAGES))('language %s', (code, { phrases }) => {
  test('has every phrase and no other', () => {
    expect(Object.keys(phrases).toSorted()).toEqual(keys.toSorted());
    expect(keys.filter((key) => forms(phrases[key]).some((form) => form.trim() === ''))).toEqual([]);
  });

  test('fills the same placeholders as English; only plurals may leave the number out', () => {
    for (const key of keys) {
      const wanted = places(forms(en[key]).at(-1) ?? '');
      for (const form of forms(phrases[key])) {
        const given = places(form);
        const missing = wanted.filter((place) => !given.includes(place));
        expect({ key, form, extra: given.filter((place) => !wanted.includes(place)) }).toMatchObject({ extra: [] });
        expect({ key, form, missing }).toMatchObject({
          missing: typeof en[key] === 'string' ? [] : missing.filter((place) => place === 'count'),
        });
      }
    }
  });

  test('replaces, inside an exchange platform, only phrases of the page and with values that these have', () => {
    for (const key of keys.filter((one) => one.startsWith('exchange:'))) {
      const replaced = key.slice('exchange:'.length) as keyof typeof en;
      const known = new Set(['platform', 'idName', ...places(forms(en[replaced]).join(' '))]);
      const unknown = places(forms(phrases[key]).join(' ')).filter((place) => !known.has(place));
      expect({ key, unknown }).toEqual({ key, unknown: [] });
    }
  });

  test('has every plural that its grammar has', () => {
    // Spanish uses `many` only from a million on, which no count here reaches; it falls back to the general form.
    const categories = new Intl.PluralRules(code)
      .resolvedOptions()
      .pluralCategories.filter((name) => name !== 'many' || code === 'ar');
    for (const key of keys) {
      const phrase: Phrase = phrases[key];
      if (typeof phrase === 'string') continue;
      expect({ key, has: categories.every((category) => category in phrase) }).toEqual({ key, has: true });
    }
  });
});

describe('choosing a language', () => {
  test.each([
    ['es', 'zh', 'es'],
    ['xx', 'zh', 'zh'],
    [null, 'fr-FR,fr;q=0.9,ar;q=0.8,en;q=0.7', 'ar'],
    [null, 'en;q=0.2,zh-CN;q=0.9', 'zh'],
    [null, 'zh;q=0,es;q=0.1', 'es'],
    [null, null, 'en'],
    [null, '*', 'en'],
    ['__proto__', 'constructor', 'en'],
    ['ES-mx', null, 'es'],
  ])('?lang=%s with accept-language %s gives %s', (query, header, wanted) => {
    expect(chooseLanguage(query, header)).toBe(wanted);
  });
});

test('durations are rounded, in the plurals of the language', () => {
  const words = speak('en', en);
  expect([1, 45, 60, 90, 3_600, 7_300].map((seconds) => duration(words, seconds))).toEqual([
    '1 second',
    '45 seconds',
    '1 minute',
    '2 minutes',
    '60 minutes',
    '2 hours',
  ]);
  const arabic = speak('ar', LANGUAGES['ar']?.phrases ?? en);
  expect([1, 2, 3, 11].map((count) => arabic.text('seconds', { count }))).toEqual([
    'ثانية واحدة',
    'ثانيتان',
    '3 ثوانٍ',
    '11 ثانية',
  ]);
});
