import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** `packages/core` runs in browsers as well as in Node, and depends on none of its users. */

const ROOT = join(import.meta.dirname, '../../..');
const CORE = 'packages/core';

/** Packages without APIs of Node, small enough for a page. */
const BROWSER_PACKAGES = new Set(['@noble/hashes', '@scure/base']);
/** Tests run in Node, and may use rigs. */
const TEST_IMPORTS = /^(vitest$|(\.\.\/)+apps\/server\/rig\/)/;
const USERS = ['apps/server', 'apps/checkout', 'apps/dashboard', 'e2e'];

type Source = { path: string; text: string };

const read = (pattern: string): Source[] =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) }).map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
const importsOf = ({ text }: Source) =>
  [...text.matchAll(/(?:from |import\(|^import )'([^']+)'/gm)].map(([, name = '']) => name);
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
const isTest = ({ path }: Source) => path.endsWith('.test.ts');

const core = read(`${CORE}/src/**/*.ts`);
const users = USERS.flatMap((folder) => read(`${folder}/**/*.{ts,tsx}`));

test('the core imports only its own files and packages that run in a browser', () => {
  expect(core.filter((file) => !isTest(file))).not.toEqual([]);
  const wrong = core.flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^\.\/[a-z-]+\.ts$/.test(name) && !BROWSER_PACKAGES.has(packageOf(name)))
      .filter((name) => !isTest(file) || !TEST_IMPORTS.test(name))
      .map((name) => `${file.path} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('the core depends on each package that it imports, and on no other', () => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, CORE, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  expect(Object.keys(dependencies)).toEqual([...BROWSER_PACKAGES]);
});

test('the core reads no clock and draws nothing at random', () => {
  const outside = /Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|crypto\./;
  expect(core.filter((file) => !isTest(file) && outside.test(file.text)).map(({ path }) => path)).toEqual([]);
});

test('the core has one file per noun, without default exports and barrels', () => {
  expect(core.filter(({ text }) => /^export (default|\*)/m.test(text)).map(({ path }) => path)).toEqual([]);
  expect(core.filter(({ path }) => /(^|\/)(index|utils|helpers)\.ts$/.test(path))).toEqual([]);
});

test('the core is imported by its name, one file at a time', () => {
  const names = new Set(core.map(({ path }) => path.replace(`${CORE}/src/`, '@counterfoil/core/')));
  const imports = users.flatMap((file) => importsOf(file).map((name) => ({ path: file.path, name })));
  const ofCore = imports.filter(({ name }) => name.includes('packages/core') || name.startsWith('@counterfoil/core'));
  expect(ofCore).not.toEqual([]);
  expect(ofCore.filter(({ name }) => !names.has(name))).toEqual([]);
});

test('no program has copies of the durations and of the decimals of USD', () => {
  const names = core
    .filter(({ path }) => /\/(duration|usd)\.ts$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/^export const ([A-Z_]+) =/gm)].map(([, name = '']) => name));
  expect(names).toEqual(expect.arrayContaining(['DAY_MS', 'USD_DECIMALS']));
  const copy = new RegExp(
    `^(?:export )?const (?:${names.join('|')}|(?:MS|SECONDS)_PER_(?:SECOND|MINUTE|HOUR|DAY)) =`,
    'm',
  );
  const sources = users.filter((file) => /^apps\/[a-z]+\/src\//.test(file.path) && !isTest(file));
  expect(sources.filter(({ text }) => copy.test(text)).map(({ path }) => path)).toEqual([]);
});
