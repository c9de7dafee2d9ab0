import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isSecret } from './parse-settings.ts';
import { readApiConfig } from './read-api-config.ts';
import { readDashboardConfig } from './read-dashboard-config.ts';
import { readOperatorConfig } from './read-operator-config.ts';
import { readWorkerConfig } from './read-worker-config.ts';
import { ALL_SETTINGS } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const database = fileWith('database', 'postgresql://me:hunter2@db/counterfoil\n');
const views = fileWith('views', 'postgresql://views@db/counterfoil\n');
const nodes = fileWith('nodes', 'https://one.example/key,https://two.example/key\n');
const ring = 'ring.json';

const READERS: [string, () => { databaseUrl: string }][] = [
  [
    'api',
    () => readApiConfig({ COUNTERFOIL_DATABASE_URL_FILE: database, COUNTERFOIL_CHECKOUT_URL: 'https://pay.example' }),
  ],
  [
    'worker',
    () =>
      readWorkerConfig({
        COUNTERFOIL_DATABASE_URL_FILE: database,
        COUNTERFOIL_KEY_RING_FILE: ring,
        COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
      }),
  ],
  ['command line', () => readOperatorConfig({ COUNTERFOIL_DATABASE_URL_FILE: database })],
  [
    'dashboard',
    () =>
      readDashboardConfig({
        COUNTERFOIL_DATABASE_URL_FILE: database,
        COUNTERFOIL_VIEWS_DATABASE_URL_FILE: views,
        COUNTERFOIL_KEY_RING_FILE: ring,
        COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example',
      }),
  ],
];

test.each(READERS)('the %s reads the address of the database from a file', (_process, read) => {
  expect(read().databaseUrl).toBe('postgresql://me:hunter2@db/counterfoil');
});

test("a worker's nodes can be in files, because their addresses hold keys", () => {
  const { chains } = readWorkerConfig({
    COUNTERFOIL_DATABASE_URL_FILE: database,
    COUNTERFOIL_KEY_RING_FILE: ring,
    COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
    COUNTERFOIL_RPC_BSC_FILE: nodes,
  });
  expect(chains.map(({ network, urls }) => [network.id, urls])).toEqual([
    ['BSC', ['https://one.example/key', 'https://two.example/key']],
  ]);
});

test('every setting that may hold a password or a key is a secret, and no other one', () => {
  expect(Object.keys(ALL_SETTINGS).filter((name) => isSecret(name) && !name.includes('_RPC_'))).toEqual([
    'COUNTERFOIL_DATABASE_URL',
    'COUNTERFOIL_VIEWS_DATABASE_URL',
    'COUNTERFOIL_MAIL_URL',
    'COUNTERFOIL_ALARM_URL',
    'COUNTERFOIL_ALARM_SECRET',
    'COUNTERFOIL_HEARTBEAT_URL',
    'COUNTERFOIL_RATE_OPENEXCHANGERATES_URL',
  ]);
  expect(Object.keys(ALL_SETTINGS).filter((name) => name.includes('_RPC_') && !isSecret(name))).toEqual([]);
});

test('a link to a file is as good as the file, as orchestrators mount secrets', () => {
  const link = join(folder, 'link');
  symlinkSync(database, link);
  expect(readOperatorConfig({ COUNTERFOIL_DATABASE_URL_FILE: link }).databaseUrl).toContain('hunter2');
});

const read = (variables: Record<string, string>) => () => readOperatorConfig(variables);

describe('refused is a file that', () => {
  test('cannot be read', () => {
    expect(read({ COUNTERFOIL_DATABASE_URL_FILE: join(folder, 'missing') })).toThrow(
      /^The configuration is not valid:\n {2}COUNTERFOIL_DATABASE_URL_FILE: cannot be read$/,
    );
  });
  test('is empty', () => {
    const empty = fileWith('empty', '\n');
    expect(read({ COUNTERFOIL_DATABASE_URL_FILE: empty })).toThrow('COUNTERFOIL_DATABASE_URL_FILE: the file is empty');
  });
  test.each([
    ['a folder', folder],
    ['a device', '/dev/zero'],
  ])('is %s', (_kind, path) => {
    expect(read({ COUNTERFOIL_DATABASE_URL_FILE: path })).toThrow('COUNTERFOIL_DATABASE_URL_FILE: is not a file');
  });
  test('stands beside the setting itself: nobody could say which one holds', () => {
    const both = { COUNTERFOIL_DATABASE_URL: 'postgresql://db/counterfoil', COUNTERFOIL_DATABASE_URL_FILE: database };
    expect(read(both)).toThrow('COUNTERFOIL_DATABASE_URL_FILE: COUNTERFOIL_DATABASE_URL is set too');
  });
  test('holds nodes asked in plain text', () => {
    const plain = fileWith('plain', 'http://one.example');
    expect(read({ COUNTERFOIL_DATABASE_URL_FILE: database, COUNTERFOIL_RPC_BSC_FILE: plain })).toThrow(
      'COUNTERFOIL_RPC_BSC: must be https',
    );
  });
});

const readWrongly = () =>
  readWorkerConfig({
    COUNTERFOIL_DATABASE_URL_FILE: join(folder, 'missing'),
    COUNTERFOIL_POLL_MS: '1',
    COUNTERFOIL_FAILPOINT: 'settled',
    COUNTERFOIL_RPC_ETH: 'ftp://key@node.example',
    COUNTERFOIL_RPC_BSC: 'http://node.example/key',
    COUNTERFOIL_MAIL_URL: 'imap://user:hunter2@mail.example',
  });

const WRONG = [
  'DATABASE_URL_FILE',
  'POLL_MS',
  'FAILPOINT',
  'RPC_ETH',
  'RPC_BSC',
  'MAIL_URL',
  'MAIL_FROM',
  'KEY_RING_FILE',
];

test('faults of files, of values and of rules are named together, without any value', () => {
  expect(readWrongly).toThrow(/^(?![\s\S]*(hunter2|key@|\/key))/);
  for (const name of WRONG) expect(readWrongly).toThrow(`COUNTERFOIL_${name}:`);
});
