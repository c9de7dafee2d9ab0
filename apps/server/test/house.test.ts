import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The architecture: a file may import its own folder and the folders to the left. */
const FOLDERS = [
  'lib',
  'db',
  'audit',
  'secrets',
  'networks',
  'ledger',
  'stores',
  'wallets',
  'prices',
  'webhooks',
  'transfers',
  'invoices',
  'checkout',
  'http',
];

/** See docs/decisions/0017-fewer-packages-at-run-time.md before one is added. */
const RUNTIME_PACKAGES = [
  '@counterfoil/checkout',
  '@fastify/swagger',
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  'fastify',
  'fastify-type-provider-zod',
  'ipaddr.js',
  'kysely',
  'pg',
  'pino',
  'prom-client',
  'undici',
  'uqr',
  'zod',
];

/** Where zero is the true answer for what is absent: places, counts, and the beginning of a sum. */
const NO_MONEY = [
  ['audit/audit-store.ts', 'return row?.id ?? 0n'],
  ['audit/verify-audit.ts', '(await readOldHead(queries))?.id ?? 0n'],
  ['http/audit-metrics.ts', 'head?.position ?? 0n'],
  ['invoices/decide-pending-invoices.ts', 'found.at(-1)?.id ?? 0n'],
  ['secrets/key-ring-commands.ts', '?.secrets ?? 0n'],
  ['secrets/start-audit-chain.ts', 'chainedUntil: old?.id ?? 0n'],
  ['transfers/watch-store.ts', 'row?.version ?? 0n'],
  ['transfers/sources/solana/solana-decode.ts', '(changes.get(owner) ?? 0n) + sign * BigInt('],
] as const;

const SOURCE = join(import.meta.dirname, '../src');
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));

const isTest = (path: string) => path.endsWith('.test.ts');
const isGenerated = (path: string) => path === 'db/tables.ts';
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

function importsOf(file: { path: string; text: string }): string[] {
  return [...file.text.matchAll(/from '(\.[^']+)'/g)].map((match) =>
    relative(SOURCE, join(SOURCE, file.path, '..', match[1] ?? '')),
  );
}

/** Files that hold `pattern`, of those that may not. */
function offenders(pattern: RegExp, allowed: (path: string) => boolean): string[] {
  return files
    .filter((file) => !allowed(file.path) && !isTest(file.path) && pattern.test(file.text))
    .map((file) => file.path);
}

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

describe('the house', () => {
  test('every folder has its place in the order', () => {
    const present = new Set(files.map((file) => folderOf(file.path)).filter((folder) => folder !== ''));
    expect([...present].filter((folder) => !FOLDERS.includes(folder))).toEqual([]);
  });

  test('a file imports only its own folder and folders to the left', () => {
    const wrong = files.flatMap((file) => {
      const place = FOLDERS.indexOf(folderOf(file.path));
      if (place === -1) return [];
      return importsOf(file)
        .filter((target) => FOLDERS.indexOf(folderOf(target)) > place || folderOf(target) === '')
        .map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('only config.ts reads the environment', () => {
    expect(offenders(/process\.env/, (path) => path === 'config.ts')).toEqual([]);
  });

  test('only lib/clock.ts reads the wall clock', () => {
    expect(offenders(/Date\.now\(|new Date\(\)|performance\.now\(/, (path) => path === 'lib/clock.ts')).toEqual([]);
  });

  test('SQL stands only in stores and in db', () => {
    const holdsSql =
      /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\.query\(|\b(select|insert into|update|delete from)\s+[a-z_.*]+\s+(from|set|values)\b/;
    expect(offenders(holdsSql, (path) => path.endsWith('-store.ts') || path.startsWith('db/'))).toEqual([]);
  });

  test('no default exports, no barrels, no files that say nothing', () => {
    expect(offenders(/^export default/m, () => false)).toEqual([]);
    expect(offenders(/^export \* from/m, () => false)).toEqual([]);
    expect(files.filter((file) => /(^|\/)(index|utils|helpers|service|manager)\.ts$/.test(file.path))).toEqual([]);
  });

  test('no classes but errors', () => {
    expect(offenders(/^(export )?(abstract )?class (?!\w*Error extends \w*Error)/m, () => false)).toEqual([]);
  });

  test('money is never a float', () => {
    expect(offenders(/parseFloat\(|toFixed\(/, isGenerated)).toEqual([]);
  });

  test('nothing about money falls back to zero', () => {
    const fallback = /(\?\?|\|\|) (0n|'0)|decimals \?\?|BigInt\(.*(\?\?|\|\|)/;
    const found = files
      .filter(({ path }) => !isTest(path))
      .flatMap(({ path, text }) => text.split('\n').map((line) => [path, line.trim()] as const))
      .filter(
        ([path, line]) => fallback.test(line) && !NO_MONEY.some((one) => one[0] === path && line.includes(one[1])),
      );
    expect(found).toEqual([]);
  });

  test('what runs needs few packages, each of them on this list', () => {
    const manifest = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8')) as Record<string, object>;
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual(RUNTIME_PACKAGES);
    const imported = files
      .filter(({ path }) => !isTest(path))
      .flatMap(({ text }) =>
        [...text.matchAll(/^import (?!type\b).*from '([^.'][^']*)'/gm)].map((match) => match[1] ?? ''),
      )
      .filter((name) => !name.startsWith('node:'));
    expect([...new Set(imported.map(packageOf))].filter((name) => !RUNTIME_PACKAGES.includes(name))).toEqual([]);
  });
});
