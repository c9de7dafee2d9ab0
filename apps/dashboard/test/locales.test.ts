import { compileMessage } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';
import { words as ar } from '../src/language/locales/ar.ts';
import { words as en } from '../src/language/locales/en.ts';
import { words as es } from '../src/language/locales/es.ts';
import { words as zh } from '../src/language/locales/zh.ts';
import { readFileSync } from 'node:fs';
import { PERMISSIONS } from '../src/generated/server-facts.ts';

const OTHERS = { es, zh, ar };
const keys = Object.keys(en) as (keyof typeof en)[];

/** Names of the values that a text has places for. */
function valuesIn(text: string): string[] {
  const compiled = compileMessage(text);
  if (typeof compiled === 'string') return [];
  return [...new Set(compiled.flatMap((part) => (Array.isArray(part) ? [part[0]] : [])))].sort();
}

describe.each(Object.entries(OTHERS))('in %s', (_language, words) => {
  test('each text has the same places for values as in English, and none is empty', () => {
    for (const key of keys) {
      const present = { key, empty: words[key].trim() === '', values: valuesIn(words[key]) };
      expect(present).toEqual({ key, empty: false, values: valuesIn(en[key]) });
    }
  });
});

test('every refusal of the server and every permission has its words', () => {
  const operations = readFileSync(new URL('../src/generated/operations.ts', import.meta.url), 'utf8');
  const codes = operations.slice(operations.indexOf('ErrorCode =')).match(/[A-Z][A-Z_]+(?=")/g) ?? [];
  expect(codes.length).toBeGreaterThan(20);
  const wanted = [...codes.map((code) => `error.${code}`), ...Object.keys(PERMISSIONS).map((name) => `may.${name}`)];
  expect(wanted.filter((key) => !(key in en))).toEqual([]);
});
