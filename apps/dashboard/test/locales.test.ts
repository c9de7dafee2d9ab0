import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PERMISSION_NAMES } from '@counterfoil/core/permission.ts';
import { DASHBOARD_ERROR_CODES } from '@counterfoil/core/refusal-code.ts';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
const LOCALES = join(SOURCE, 'language/locales');
const PARTS = readdirSync(join(LOCALES, 'en')).map((file) => file.replace('.ts', ''));

type Texts = Record<string, string>;
const readPart = async (language: string, part: string) =>
  ((await import(join(LOCALES, language, `${part}.ts`))) as { words: Texts }).words;
const readParts = async (language: string, parts: readonly string[]): Promise<Texts> =>
  Object.assign({}, ...(await Promise.all(parts.map((part) => readPart(language, part))))) as Texts;

const english = await readParts('en', PARTS);

/** Names of the values that a text has places for. */
function valuesIn(text: string): string[] {
  const compiled = compileMessage(text);
  if (typeof compiled === 'string') return [];
  return [...new Set(compiled.flatMap((part) => (Array.isArray(part) ? [part[0]] : [])))].sort();
}

describe.each(['es', 'zh', 'ar'])('in %s', (language) => {
  test('each text has the same places for values as in English, and none is empty', async () => {
    const words = await readParts(language, PARTS);
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [key, text] of Object.entries(words)) {
      const present = { key, empty: text.trim() === '', values: valuesIn(text) };
      expect(present).toEqual({ key, empty: false, values: valuesIn(english[key] ?? '') });
    }
  });
});

const LABEL_OF = /aria-label=\{t\('([\w.]+)Of'/g;

test.each(['en', 'es', 'zh', 'ar'])('in %s, what a button is called contains what it says', async (language) => {
  const words = await readParts(language, PARTS);
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'));
  const keys = sources.flatMap((path) =>
    [...readFileSync(join(SOURCE, path), 'utf8').matchAll(LABEL_OF)].map(([, key = '']) => key),
  );
  const pairs = keys.filter((key) => key in words);
  expect(pairs.length).toBeGreaterThan(3);
  for (const key of pairs) expect(words[`${key}Of`]).toContain(words[key]);
});

test('every refusal of the server and every permission has its words', () => {
  const wanted = [
    ...DASHBOARD_ERROR_CODES.map((code) => `error.${code}`),
    ...PERMISSION_NAMES.map((name) => `may.${name}`),
  ];
  expect(wanted.filter((key) => !(key in english))).toEqual([]);
});

const IMPORT = /(?:from |import\()'(\.[^']+)'/g;
/** A key that is written out, or the beginning of one that is put together. */
const KEY = /'([a-z][A-Za-z]*\.[A-Za-z_.]+)'|`([a-z][A-Za-z]*\.)\$\{/g;

/** A file that is loaded together with the texts that it needs. */
const WITH_WORDS = /(?:withWords\(\[([^\]]*)\], )?\(\) => import\('(\.[^']+)'\)/g;

/** A file with everything that it imports, statically or later; without files that bring their own texts. */
function filesFrom(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || path.includes('/locales/') || !/\.tsx?$/.test(path)) return found;
  found.add(path);
  const source = readFileSync(path, 'utf8').replaceAll(WITH_WORDS, (all, needed: unknown) =>
    needed === undefined ? all : '',
  );
  for (const [, next = ''] of source.matchAll(IMPORT)) filesFrom(join(dirname(path), next), found);
  return found;
}

const prefixOf = (key: string) => key.slice(0, key.indexOf('.') + 1);
const prefixes = new Set(Object.keys(english).map(prefixOf));

/** The keys, and beginnings of keys, that files use. */
function keysIn(files: Iterable<string>): string[] {
  const found = [...files].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(KEY)].flatMap(([, whole, start]) => {
      if (whole !== undefined) return whole in english ? [whole] : [];
      return start !== undefined && prefixes.has(start) ? [start] : [];
    }),
  );
  return [...new Set(found)];
}

const ROUTES = ['router.tsx', 'visitor-routes.ts', 'frame/app-frame.tsx'].flatMap((from) =>
  [...readFileSync(join(SOURCE, from), 'utf8').matchAll(WITH_WORDS)].map(([, needed = '', file = '']) => ({
    file: join(dirname(from), file),
    needed: needed.match(/[a-z]+/g) ?? [],
  })),
);

describe('each page loads the texts that it uses', () => {
  test('the router names all pages', () => {
    expect(ROUTES.length).toBeGreaterThan(10);
  });

  test.each(ROUTES)('$file', async ({ file, needed }) => {
    const loaded = Object.keys(await readParts('en', ['first', 'errors', ...needed]));
    const missing = keysIn(filesFrom(join(SOURCE, file))).filter((key) => !loaded.some((one) => one.startsWith(key)));
    expect(missing).toEqual([]);
  });
});
