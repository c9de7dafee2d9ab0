import { describe, expect, test } from 'vitest';
import type { ProcessName } from './server-process.ts';
import { faultsOf, PROCESS_NAMES } from './server-process.ts';

/** Valid addresses: where processes listen, whom they trust, and whom they ask. */

const VALID = {
  COUNTERFOIL_DATABASE_URL: 'postgresql://db/counterfoil',
  COUNTERFOIL_VIEWS_DATABASE_URL: 'postgresql://db/counterfoil',
  COUNTERFOIL_KEY_RING_FILE: '/ring.json',
  COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
  COUNTERFOIL_CHECKOUT_URL: 'https://pay.example',
  COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example',
};

/** Names of the settings that a process refuses. */
const refusedBy = (process: ProcessName, settings: Record<string, string>) =>
  faultsOf(process, { ...VALID, ...settings }).map((fault) => fault.split(':')[0]);

test.each(PROCESS_NAMES)('valid settings are valid for %s', (process) => {
  expect(refusedBy(process, {})).toEqual([]);
});

describe.each([
  ['COUNTERFOIL_HOST', ['api', 'dashboard']],
  ['COUNTERFOIL_OPERATIONS_HOST', ['api', 'worker', 'dashboard']],
] as const)('%s', (name, processes) => {
  test.each(['127.0.0.1', '0.0.0.0', '10.0.0.7', '::', '::1', 'fd00::7', 'localhost', 'api-1.internal', 'my_host'])(
    'may be %s',
    (host) => {
      for (const process of processes) expect(refusedBy(process, { [name]: host })).toEqual([]);
    },
  );

  test.each(['', ' ', '0', '0x0', '10.1', '1.2.3.4.5', '[::]', '0.0.0.0:80', 'not a host', 'http://localhost', 'a..b'])(
    'is refused as "%s": what it means would be guessed, and some guesses are every address',
    (host) => {
      for (const process of processes) expect(refusedBy(process, { [name]: host })).toEqual([name]);
    },
  );
});

describe('trusted proxies', () => {
  const NAME = 'COUNTERFOIL_TRUSTED_PROXIES';
  test.each([
    '0.0.0.0/0',
    '10.0.0.0/0',
    '::/0',
    '0.0.0.0/1',
    '0.0.0.0/1,128.0.0.0/1',
    '8000::/1,::/1',
    '2000::/3',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/96',
    '::/64',
    '::ffff:0:0/97,10.0.0.1',
    '0.0.0.0/2,64.0.0.0/2,128.0.0.0/2,192.0.0.0/2',
    Array.from({ length: 200 }, (_, first) => `${first + 1}.0.0.0/8`).join(','),
  ])('are not nearly everybody: %s', (ranges) => {
    for (const process of ['api', 'dashboard'] as const) expect(refusedBy(process, { [NAME]: ranges })).toEqual([NAME]);
  });

  test.each([
    '172.30.64.0/24',
    '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,127.0.0.0/8',
    'fc00::/7,fe80::/10,::1',
    '::ffff:10.0.0.1,::ffff:10.0.0.0/104',
    '10.0.0.0/8,10.0.0.0/8,10.0.0.0/8,10.0.0.0/8,10.0.0.0/8,10.0.0.0/8,10.1.0.0/16',
  ])('may be every private network: %s', (ranges) => {
    expect(refusedBy('api', { [NAME]: ranges })).toEqual([]);
  });
});

describe('price sources', () => {
  const NAMES = ['BINANCE', 'KRAKEN', 'COINBASE'].map((source) => `COUNTERFOIL_PRICE_${source}_URL`);

  test.each(NAMES)('%s is asked by https only in production, but in our own network', (name) => {
    expect(refusedBy('worker', { [name]: 'http://prices.example' })).toEqual([name]);
    expect(refusedBy('worker', { [name]: 'http://127.0.0.1:9' })).toEqual([]);
    expect(refusedBy('worker', { [name]: 'http://prices.internal' })).toEqual([]);
    expect(refusedBy('worker', { [name]: 'http://prices.example', COUNTERFOIL_ENVIRONMENT: 'development' })).toEqual(
      [],
    );
  });

  test.each(['https://key:word@prices.example', 'https://prices.example?token=x', 'https://prices.example/#x'])(
    'are refused at %s: paths are put behind the address, and no request has a user in its address',
    (url) => {
      expect(refusedBy('worker', { COUNTERFOIL_PRICE_KRAKEN_URL: url })).toEqual(['COUNTERFOIL_PRICE_KRAKEN_URL']);
    },
  );
});

const refusesNodes = (urls: string, network = 'BSC') =>
  refusedBy('worker', { [`COUNTERFOIL_RPC_${network}`]: urls }).length > 0;

describe('nodes', () => {
  test.each([
    'https://a.example\nhttps://b.example',
    'https://a.example https://b.example',
    'https://a.example\thttps://b.example',
    'https://a.example;http://b.example',
    'https://a.example/key;https://b.example/key',
    'https://a.example|b.example',
  ])('are separated by commas and nothing else: %j', (urls) => {
    expect(refusesNodes(urls)).toBe(true);
  });

  test.each([
    'https://a.example,https://b.example/key',
    ' https://a.example/ , https://b.example?key=1\n',
    'http://bsc_node:8545',
  ])('may be a list with spaces around its commas: %j', (urls) => {
    expect(refusesNodes(urls)).toBe(false);
  });

  test('have no user before the host, which requests cannot send, but for the key of Tron', () => {
    for (const network of ['BSC', 'SOL']) {
      expect(refusesNodes('https://user:word@node.example', network)).toBe(true);
      expect(refusesNodes('https://key@node.example', network)).toBe(true);
    }
    expect(refusesNodes('https://key@api.trongrid.io', 'TRC20')).toBe(false);
    expect(refusedBy('api', { COUNTERFOIL_INSPECT_RPC_BSC: 'https://user:word@node.example' })).toEqual([
      'COUNTERFOIL_INSPECT_RPC_BSC',
    ]);
  });
});

describe('ports', () => {
  test.each([
    ['api', 'COUNTERFOIL_PORT', 'COUNTERFOIL_OPERATIONS_PORT'],
    ['dashboard', 'COUNTERFOIL_DASHBOARD_PORT', 'COUNTERFOIL_DASHBOARD_OPERATIONS_PORT'],
  ] as const)('of %s are two, unless they are on different addresses', (process, name, operations) => {
    const same = { [name]: '8080', [operations]: '8080' };
    expect(refusedBy(process, same)).toEqual([operations]);
    expect(refusedBy(process, { ...same, COUNTERFOIL_HOST: '0.0.0.0' })).toEqual([operations]);
    expect(refusedBy(process, { ...same, COUNTERFOIL_OPERATIONS_HOST: '::' })).toEqual([operations]);
    expect(refusedBy(process, { ...same, COUNTERFOIL_HOST: '10.0.0.7' })).toEqual([]);
    expect(refusedBy(process, { [name]: '0', [operations]: '0' })).toEqual([]);
  });
});
