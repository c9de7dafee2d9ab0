import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FOLDERS } from './folder-order.ts';

/** Packages at run time. Read docs/decisions/0017-fewer-packages-at-run-time.md before adding one. */
const RUNTIME_PACKAGES = [
  '@counterfoil/checkout',
  '@counterfoil/core',
  '@fastify/swagger',
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@simplewebauthn/server',
  '@zxcvbn-ts/language-common',
  'fastify',
  'fastify-type-provider-zod',
  'ipaddr.js',
  'kysely',
  'nodemailer',
  'otpauth',
  'pg',
  'pg-boss',
  'pino',
  'prom-client',
  'undici',
  'zod',
];

/** Words that a verb file may begin with. `chain` is not among them, because names of nouns begin with it too. */
const VERBS = new Set(
  [
    'abandon accept acknowledge activate add admit advance agree align apply ask attach begin build bury cancel change check choose',
    'claim classify collect compare confirm cover create credit decide demand derive describe discard dispatch drop end erase',
    'expire explain fetch filter find follow forget get guard hold init inspect install issue join judge keep list lock match name',
    'observe open pair parse pass pause place poll prepare probe prove prune queue raise read reanchor recheck reconcile record redeliver refresh register',
    'remove render require rescan reseal retire retry reveal rewind rotate run seal select send set settle start stop supervise tell',
    'unfreeze unlock verify',
  ].flatMap((line) => line.split(' ')),
);

/** Packages that adapters may import: none of them opens a line of its own past the outbound guard, or a database. */
const ADAPTER_PACKAGES = new Set(['@counterfoil/core', '@noble/curves', '@noble/hashes', '@scure/base', 'zod']);

/** Files that begin with a verb and export something else, with the reason. */
const OTHER_VERBS: Record<string, string> = {
  'chains/follow-chain.ts': 'a chain is followed by two loops: followHead and followTiers',
};

/** Endings of file names that say what a file holds. */
const NOUN_ENDS = /-(sql|routes|commands|metrics)\.ts$/;

/** Places where zero is the right value for something absent: positions, counts, and the start of a sum. */
const NO_MONEY = [
  ['audit/audit-sql.ts', 'return row?.id ?? 0n'],
  ['audit/verify-audit.ts', '(await readOldHead(queries))?.id ?? 0n'],
  ['http/audit-metrics.ts', 'head?.position ?? 0n'],
  ['invoices/decide-pending-invoices.ts', 'found.at(-1)?.id ?? 0n'],
  ['commands/key-ring-commands.ts', '?.secrets ?? 0n'],
  ['secrets/start-audit-chain.ts', 'chainedUntil: old?.id ?? 0n'],
  ['chains/watch-sql.ts', 'row?.version ?? 0n'],
  ['sources/solana/solana-decode.ts', '(changes.get(owner) ?? 0n) + sign * BigInt('],
] as const;

/** Folders beside src that use it and never each other; what they share is in `rig`. */
const ROOMS = ['test', 'drills', 'benches', 'demo', 'tools', 'e2e'];

const ROOT = join(import.meta.dirname, '../../..');
const SOURCE = join(import.meta.dirname, '../src');
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));

const isTest = (path: string) => path.endsWith('.test.ts');
const isGenerated = (path: string) => path === 'db/tables.ts';
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

function importsOf(file: { path: string; text: string }): string[] {
  return [...file.text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map((match) =>
    relative(SOURCE, join(SOURCE, file.path, '..', match[1] ?? '')),
  );
}

/** Files that contain `pattern` and may not. */
function offenders(pattern: RegExp, allowed: (path: string) => boolean): string[] {
  return files
    .filter((file) => !allowed(file.path) && !isTest(file.path) && pattern.test(file.text))
    .map((file) => file.path);
}

const wordsOf = (path: string) => (path.split('/').at(-1) ?? '').replace(/\.ts$/, '').split('-');
const isVerbFile = (path: string) => wordsOf(path).length > 1 && VERBS.has(wordsOf(path)[0] ?? '');
const inCamel = (words: readonly string[]) =>
  words.map((word, place) => (place === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`)).join('');

/**
 * Names that the verb of a file may have: with its adapter's name in it, and with `create` for a function that makes
 * the verb.
 */
function verbsOf(path: string): string[] {
  const [verb = '', ...noun] = wordsOf(path);
  const [, adapter = ''] = /^(?:sources|platforms)\/([a-z-]+)\//.exec(path) ?? [];
  const names = [inCamel([verb, ...noun]), inCamel([verb, adapter, ...noun])];
  return [...names, ...names.map((name) => inCamel(['create', name]))];
}

const exportsName = (text: string, name: string) =>
  new RegExp(`^export (async )?(function|const) ${name}\\b`, 'm').test(text);

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

const folderOfRoom = (room: string) => (room === 'e2e' ? 'e2e' : `apps/server/${room}`);

function filesOf(room: string): { path: string; text: string }[] {
  const folder = join(ROOT, folderOfRoom(room));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: join(folderOfRoom(room), path), text: readFileSync(join(folder, path), 'utf8') }));
}

/** Imports of a folder's files, as paths from the root. */
function importsOfRoom(room: string): { from: string; to: string }[] {
  return filesOf(room).flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, target = '']) => ({
      from: path,
      to: join(path, '..', target),
    })),
  );
}

const isInside = (path: string, room: string) => path.startsWith(`${folderOfRoom(room)}/`);

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

  test('src imports nothing outside of src; its tests import rigs too', () => {
    const outside = importsOfRoom('src').filter(
      ({ from, to }) => !isInside(to, 'src') && !(isTest(from) && isInside(to, 'rig')),
    );
    expect(outside).toEqual([]);
  });

  test('rig imports src and itself, and no test runner', () => {
    const outside = importsOfRoom('rig').filter(({ to }) => !isInside(to, 'rig') && !isInside(to, 'src'));
    expect(outside).toEqual([]);
    expect(filesOf('rig').filter(({ text }) => /'(@?vitest|node:test)\b/.test(text))).toEqual([]);
  });

  test.each(ROOMS)('%s imports none of the other rooms', (room) => {
    const others = ROOMS.filter((other) => other !== room);
    const found = importsOfRoom(room).filter(({ to }) => others.some((other) => isInside(to, other)));
    expect(importsOfRoom(room)).not.toEqual([]);
    expect(found).toEqual([]);
  });

  test('only config/environment.ts reads the environment', () => {
    expect(offenders(/process\.env/, (path) => path === 'config/environment.ts')).toEqual([]);
  });

  test('only lib/clock.ts reads the wall clock', () => {
    expect(offenders(/Date\.now\(|new Date\(\)|performance\.now\(/, (path) => path === 'lib/clock.ts')).toEqual([]);
  });

  test('SQL stands only in files that end in -sql and in db', () => {
    const holdsSql =
      /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\.query\(|\b(select|insert into|update|delete from)\s+[a-z_.*]+\s+(from|set|values)\b/;
    expect(offenders(holdsSql, (path) => path.endsWith('-sql.ts') || path.startsWith('db/'))).toEqual([]);
  });

  test('no default exports, no barrels, no file names without a meaning', () => {
    expect(offenders(/^export default/m, () => false)).toEqual([]);
    expect(offenders(/^export \* from/m, () => false)).toEqual([]);
    expect(files.filter((file) => /(^|\/)(index|utils|helpers|service|manager)\.ts$/.test(file.path))).toEqual([]);
  });

  test('no classes but errors', () => {
    const noError = /^(export )?(abstract )?class (?!\w*Error extends \w*Error|Refusal<)/m;
    expect(offenders(noError, () => false)).toEqual([]);
  });

  test('ARCHITECTURE lists the folders in their order, and says of each what is in it', () => {
    const text = readFileSync(join(SOURCE, '../../../ARCHITECTURE.md'), 'utf8');
    expect(/^`(lib .*)`$/m.exec(text)?.[1]?.split(/\s+/)).toEqual(FOLDERS);
    const rows = [...text.matchAll(/^\| `([a-z]+)` \|/gm)].map((match) => match[1]);
    expect(rows).toEqual(FOLDERS);
  });

  test('nothing left of the faces knows a transport or the error of a face', () => {
    const faces = new Set(['', ...FOLDERS.slice(FOLDERS.indexOf('api'))]);
    const isFace = (path: string) => faces.has(folderOf(path));
    expect(offenders(/'@?fastify|\b(PublicError|CommandError)\b/, isFace)).toEqual([]);
  });

  test('an adapter imports only lib, networks, its own folder, json-rpc, exchange and its port', () => {
    const wrong = files.flatMap((file) => {
      const [, room, adapter] = /^(sources|platforms)\/([a-z-]+)\//.exec(file.path) ?? [];
      if (adapter === undefined || isTest(file.path)) return [];
      const allowed = new RegExp(
        `^(lib|networks|sources/json-rpc|platforms/exchange|${room}/${adapter})/|^(sources|platforms)/[a-z-]+\\.ts$`,
      );
      return importsOf(file)
        .filter((target) => !allowed.test(target))
        .map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('a verb file exports its verb, or what makes it', () => {
    const wrong = files
      .filter(({ path }) => !isTest(path) && !NOUN_ENDS.test(path) && !(path in OTHER_VERBS))
      .filter(({ path, text }) => isVerbFile(path) && !verbsOf(path).some((verb) => exportsName(text, verb)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(Object.keys(OTHER_VERBS).filter((path) => !files.some((file) => file.path === path))).toEqual([]);
  });

  test('a reference to a store is made only from an admitted request, for a member, for an operator and for top-ups', () => {
    const makers = ['key', 'member', 'operator', 'topups'].map((whom) => `stores/store-for-${whom}.ts`);
    expect(offenders(/\bas (unknown as )?(StoreRef|AdmittedStore)\b/, () => false).toSorted()).toEqual(makers);
    expect(offenders(/sql<\s*(StoreRef|AdmittedStore)|\bis (StoreRef|AdmittedStore)\b/, () => false)).toEqual([]);
  });

  test('what is refused is a Refusal: the only other errors are of something outside, and of a face', () => {
    const classes = files
      .filter(({ path }) => !isTest(path))
      .flatMap(({ path, text }) => [...text.matchAll(/\bclass (\w+)/g)].map((match) => `${path} ${match[1]}`));
    expect(classes.toSorted()).toEqual([
      'api/public-error.ts PublicError',
      'checkout/inspection-budget.ts BudgetError',
      'commands/command-error.ts CommandError',
      'config/config-error.ts ConfigError',
      'dashboard/dashboard-error.ts DashboardError',
      'db/guard-connection.ts SilentDatabaseError',
      'lib/fetch-json.ts FetchError',
      'lib/outbound-http.ts OutboundError',
      'lib/pinned-pools.ts ConnectError',
      'lib/refusal.ts Refusal',
      'prices/price-source.ts PriceSourceError',
      'sources/chain-source.ts SourceError',
      'sources/solana/signature-proof.ts SkippedSlotError',
    ]);
  });

  test('an adapter needs few packages', () => {
    const wrong = files.flatMap(({ path, text }) =>
      isTest(path) || !/^(sources|platforms)\//.test(path)
        ? []
        : [...text.matchAll(/(?:from |import\()'([^.'][^']*)'/g)]
            .map((match) => packageOf(match[1] ?? ''))
            .filter((name) => !name.startsWith('node:') && !ADAPTER_PACKAGES.has(name))
            .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('inside, a network is named by its id; only what outsiders see gives its public symbol', () => {
    const callers = new Set([
      'invoices/invoice-view.ts',
      'invoices/received-money.ts',
      'api/sandbox-view.ts',
      'dashboard/invoice-routes.ts',
    ]);
    expect(offenders(/\bpublicSymbol\(/, (path) => callers.has(path))).toEqual([]);
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
