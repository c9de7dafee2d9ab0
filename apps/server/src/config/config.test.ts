import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { readApiConfig } from './read-api-config.ts';
import { readOperatorConfig } from './read-operator-config.ts';
import { readWorkerConfig } from './read-worker-config.ts';

const REQUIRED = {
  COUNTERFOIL_DATABASE_URL: 'postgresql://localhost/counterfoil',
  COUNTERFOIL_CHECKOUT_URL: 'https://pay.example',
  COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
};

const TITLE = 'The configuration is not valid:';

/** Names of the settings that are refused. */
function faultsOf(variables: Record<string, string>): string[] {
  try {
    readApiConfig(variables);
    return [];
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.message
      .replace(`${TITLE}\n`, '')
      .split('\n')
      .map((line) => line.trim().split(':')[0] ?? '');
  }
}

const faultsOfNodes = (urls: string) => faultsOf({ ...REQUIRED, COUNTERFOIL_RPC_BSC: urls });

describe('the server', () => {
  test('needs two settings; every other one has a default that is safe in production', () => {
    expect(readApiConfig(REQUIRED)).toEqual({
      databaseUrl: 'postgresql://localhost/counterfoil',
      databaseConnections: 10,
      databaseWaitMs: 2_000,
      anyDatabaseRole: false,
      production: true,
      host: '127.0.0.1',
      port: 3000,
      operationsHost: '127.0.0.1',
      operationsPort: 3001,
      drainMs: 5_000,
      checkoutUrl: 'https://pay.example',
      trustedProxies: [],
      logLevel: 'info',
      inspected: [],
      checkoutViewers: 10_000,
      privateCallbacks: false,
    });
  });

  test.each([
    'http://pay.example',
    'https://user:secret@pay.example',
    'https://pay.example/?from=mail',
    'https://pay.example/#top',
  ])('is not started in production with the checkout at %s', (url) => {
    const variables = { ...REQUIRED, COUNTERFOIL_CHECKOUT_URL: url };
    expect(faultsOf(variables)).toEqual(['COUNTERFOIL_CHECKOUT_URL']);
    expect(faultsOf({ ...variables, COUNTERFOIL_ENVIRONMENT: 'development' })).toEqual([]);
  });

  test('asks public nodes by https only in production; those in its own network also in plain text', () => {
    expect(faultsOfNodes('https://one.example,http://two.example')).toEqual(['COUNTERFOIL_RPC_BSC']);
    const asked = { ...REQUIRED, COUNTERFOIL_INSPECT_RPC_ETH: 'http://two.example' };
    expect(faultsOf(asked)).toEqual(['COUNTERFOIL_INSPECT_RPC_ETH']);
    expect(() => readOperatorConfig({ ...REQUIRED, COUNTERFOIL_RPC_BSC: 'http://two.example' })).toThrow(
      'must be https',
    );
    expect(faultsOfNodes('http://8.8.8.8:8545')).toEqual(['COUNTERFOIL_RPC_BSC']);
    const inside = [
      'http://127.0.0.1:1',
      'http://[::1]:1',
      'http://10.0.0.4',
      'http://bsc-node:8545',
      'http://bsc.internal',
    ];
    expect(faultsOfNodes(inside.join(','))).toEqual([]);
  });

  test('lets webhooks go to private addresses in development only', () => {
    const variables = { ...REQUIRED, COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' };
    expect(faultsOf(variables)).toEqual(['COUNTERFOIL_PRIVATE_CALLBACKS']);
    expect(readApiConfig({ ...variables, COUNTERFOIL_ENVIRONMENT: 'development' }).privateCallbacks).toBe(true);
  });

  test('lets a process connect as anybody in development only', () => {
    const variables = { ...REQUIRED, COUNTERFOIL_ANY_DATABASE_ROLE: 'allow' };
    expect(faultsOf(variables)).toEqual(['COUNTERFOIL_ANY_DATABASE_ROLE']);
    expect(() => readOperatorConfig(variables)).toThrow('COUNTERFOIL_ANY_DATABASE_ROLE');
    expect(() => worker({ ...variables, COUNTERFOIL_ENVIRONMENT: 'production' })).toThrow(
      'COUNTERFOIL_ANY_DATABASE_ROLE',
    );
    expect(readApiConfig({ ...variables, COUNTERFOIL_ENVIRONMENT: 'development' }).anyDatabaseRole).toBe(true);
  });

  test('asks its own nodes about transactions, else those of the worker, and refuses an invalid address of a node', () => {
    const { inspected } = readApiConfig({
      ...REQUIRED,
      COUNTERFOIL_RPC_BSC: 'https://one.example,https://two.example',
      COUNTERFOIL_RPC_ETH: 'https://worker.example',
      COUNTERFOIL_INSPECT_RPC_ETH: 'https://own.example',
    });
    expect(inspected.map(({ network, urls, shared }) => [network.id, urls, shared])).toEqual([
      ['ETH', ['https://own.example'], false],
      ['BSC', ['https://one.example', 'https://two.example'], true],
    ]);
    for (const name of ['COUNTERFOIL_RPC_ETH', 'COUNTERFOIL_INSPECT_RPC_ETH'])
      expect(faultsOf({ ...REQUIRED, [name]: 'file:///etc/passwd' })).toEqual([name]);
  });

  test('names every fault at once, so that all can be fixed together', () => {
    const faults = faultsOf({
      COUNTERFOIL_DATABASE_URL: 'mysql://localhost/counterfoil',
      COUNTERFOIL_DATABASE_CONNECTIONS: '0',
      COUNTERFOIL_ENVIRONMENT: 'staging',
      COUNTERFOIL_PORT: '65536',
      COUNTERFOIL_OPERATIONS_PORT: 'abc',
      COUNTERFOIL_CHECKOUT_URL: 'javascript:alert(1)',
      COUNTERFOIL_TRUSTED_PROXIES: '10.0.0.0/8, not-a-range',
      COUNTERFOIL_LOG_LEVEL: 'loud',
    });
    expect(faults).toEqual([
      'COUNTERFOIL_DATABASE_URL',
      'COUNTERFOIL_ENVIRONMENT',
      'COUNTERFOIL_DATABASE_CONNECTIONS',
      'COUNTERFOIL_LOG_LEVEL',
      'COUNTERFOIL_PORT',
      'COUNTERFOIL_OPERATIONS_PORT',
      'COUNTERFOIL_CHECKOUT_URL',
      'COUNTERFOIL_TRUSTED_PROXIES.1',
    ]);
  });

  test('names what is missing', () => {
    expect(faultsOf({})).toEqual(['COUNTERFOIL_DATABASE_URL', 'COUNTERFOIL_CHECKOUT_URL']);
  });

  test('never repeats a value in a fault: it could be a password', () => {
    const variables = { ...REQUIRED, COUNTERFOIL_DATABASE_URL: 'mysql://me:hunter2@localhost/counterfoil' };
    expect(() => readApiConfig(variables)).toThrow(/^(?![\s\S]*hunter2)/);
  });

  test.each([
    ['', []],
    [' ', []],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['10.0.0.0/8, fd00::/8 ,127.0.0.1,::1', ['10.0.0.0/8', 'fd00::/8', '127.0.0.1', '::1']],
  ])('reads trusted proxies "%s" as a list', (text, proxies) => {
    expect(readApiConfig({ ...REQUIRED, COUNTERFOIL_TRUSTED_PROXIES: text }).trustedProxies).toEqual(proxies);
  });

  test.each(['10.0.0.0/33', 'true', '*', '10.0.0.0/8;fd00::/8', 'example.com'])(
    'refuses trusted proxies "%s": believing everybody would let any caller choose their address',
    (text) => {
      expect(faultsOf({ ...REQUIRED, COUNTERFOIL_TRUSTED_PROXIES: text })).toEqual(['COUNTERFOIL_TRUSTED_PROXIES.0']);
    },
  );

  test('takes the slashes off the end of the checkout address, because paths are put behind it', () => {
    const variables = { ...REQUIRED, COUNTERFOIL_CHECKOUT_URL: 'https://pay.example/eu//' };
    expect(readApiConfig(variables).checkoutUrl).toBe('https://pay.example/eu');
  });

  test.each(['', ' ', '3000.5', '-1', '0x10z'])('refuses the port "%s"', (port) => {
    expect(faultsOf({ ...REQUIRED, COUNTERFOIL_PORT: port })).toEqual(['COUNTERFOIL_PORT']);
  });
});

describe('the command line', () => {
  test('needs the database only: it serves nothing', () => {
    expect(readOperatorConfig({ COUNTERFOIL_DATABASE_URL: 'postgres://localhost/x' })).toEqual({
      databaseUrl: 'postgres://localhost/x',
      anyDatabaseRole: false,
      keyRingFile: undefined,
      chains: [],
      privateCallbacks: false,
      egressAddresses: [],
    });
  });

  test('does not mind faults in settings of the server', () => {
    const variables = { COUNTERFOIL_DATABASE_URL: 'postgres://localhost/x', COUNTERFOIL_PORT: 'abc' };
    expect(() => readOperatorConfig(variables)).not.toThrow();
  });
});

const worker = (variables: Record<string, string>) =>
  readWorkerConfig({ ...REQUIRED, COUNTERFOIL_ENVIRONMENT: 'development', ...variables });

describe('the worker', () => {
  test('follows the networks that have an address, of every family that it can follow', () => {
    const { chains } = worker({
      COUNTERFOIL_RPC_BSC: 'https://one.example,https://two.example',
      COUNTERFOIL_RPC_TRC20: 'https://some-key@api.trongrid.io',
    });
    expect(chains.map(({ network, urls }) => [network.id, urls])).toEqual([
      ['BSC', ['https://one.example', 'https://two.example']],
      ['TRC20', ['https://some-key@api.trongrid.io']],
    ]);
  });

  test('names no part of an address that it refuses: a key may stand in it', () => {
    expect(() => worker({ COUNTERFOIL_RPC_TRC20: 'ftp://some-key@api.trongrid.io' })).toThrow(
      /^(?![\s\S]*some-key)[\s\S]*COUNTERFOIL_RPC_TRC20/,
    );
  });

  test('needs an absolute folder for its mark', () => {
    expect(worker({}).stateFolder).toBe('/var/lib/counterfoil');
    expect(() => worker({ COUNTERFOIL_STATE_DIR: 'state' })).toThrow('COUNTERFOIL_STATE_DIR: must be an absolute path');
    const { COUNTERFOIL_STATE_DIR: _, ...others } = REQUIRED;
    expect(() => readWorkerConfig(others)).toThrow('COUNTERFOIL_STATE_DIR: is needed');
  });

  test('gives a loop a minute to show life; a test may give it less, production may not', () => {
    expect(worker({}).watchdogSeconds).toBe(60);
    expect(worker({ COUNTERFOIL_WATCHDOG_SECONDS: '2' }).watchdogSeconds).toBe(2);
    const production = { COUNTERFOIL_ENVIRONMENT: 'production', COUNTERFOIL_KEY_RING_FILE: '/ring' };
    expect(worker(production).watchdogSeconds).toBe(60);
    for (const given of ['2', '60'])
      expect(() => worker({ ...production, COUNTERFOIL_WATCHDOG_SECONDS: given })).toThrow('WATCHDOG_SECONDS');
  });

  test('asks each network at its own pace unless it is told one for all', () => {
    expect(worker({}).pollMs).toBeUndefined();
    expect(worker({ COUNTERFOIL_POLL_MS: '200' }).pollMs).toBe(200);
    expect(() => worker({ COUNTERFOIL_POLL_MS: '10' })).toThrow('COUNTERFOIL_POLL_MS');
  });

  test.each([
    [undefined, 90],
    ['30', 30],
    ['3650', 3650],
  ])('keeps webhooks for the days set: %s', (days, kept) => {
    const set = days === undefined ? {} : { COUNTERFOIL_WEBHOOK_RETENTION_DAYS: days };
    expect(worker(set).webhookRetentionDays).toBe(kept);
  });

  test.each(['29', '3651', 'for ever'])('refuses to keep webhooks for "%s" days', (days) => {
    expect(() => worker({ COUNTERFOIL_WEBHOOK_RETENTION_DAYS: days })).toThrow('COUNTERFOIL_WEBHOOK_RETENTION_DAYS');
  });
});

test("block 0 of a local chain is a worker's and an operator's setting, and production takes none", () => {
  const variables = {
    COUNTERFOIL_DATABASE_URL: 'postgresql://localhost/counterfoil',
    COUNTERFOIL_RPC_BSC: 'http://127.0.0.1:8545',
    COUNTERFOIL_GENESIS_BSC: '0xab',
    COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
  };
  const local = { ...variables, COUNTERFOIL_ENVIRONMENT: 'development' };
  expect(readWorkerConfig(local).chains).toMatchObject([{ genesisHash: '0xab' }]);
  expect(readOperatorConfig(local).chains).toMatchObject([{ genesisHash: '0xab' }]);
  const refusal = 'COUNTERFOIL_GENESIS_BSC: is for local chains only';
  expect(() => readWorkerConfig(variables)).toThrow(refusal);
  expect(() => readOperatorConfig(variables)).toThrow(refusal);
  expect(() => readApiConfig({ ...variables, COUNTERFOIL_CHECKOUT_URL: 'https://checkout.example' })).toThrow(refusal);
});

const shardsOf = (shards?: string) =>
  readOperatorConfig({ ...REQUIRED, ...(shards !== undefined && { COUNTERFOIL_SHARDS: shards }) }).shards;

test('merchants are opened in the shards of the cell: letters and digits, each once', () => {
  expect([shardsOf(), shardsOf('K7')]).toEqual([undefined, 'K7']);
  for (const wrong of ['', 'k', 'A,B', 'KK']) expect(() => shardsOf(wrong)).toThrow('COUNTERFOIL_SHARDS');
});

const MAIL = {
  COUNTERFOIL_MAIL_URL: 'smtp://user:secret@mail.example',
  COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
  COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example/',
};

describe.each([
  [
    'a worker',
    (variables: Record<string, string>) =>
      readWorkerConfig({
        COUNTERFOIL_KEY_RING_FILE: 'ring',
        COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
        ...variables,
      }),
  ],
  ['the command line', readOperatorConfig],
])('mail of %s', (_who, read) => {
  const mailOf = (variables: Record<string, string>) => read({ ...REQUIRED, ...variables }).mailServer;

  test('has no server unless its address is set', () => {
    expect(mailOf({})).toBeUndefined();
    expect(mailOf({ COUNTERFOIL_MAIL_URL: '' })).toBeUndefined();
    expect(
      mailOf({ COUNTERFOIL_MAIL_FROM: 'nobody', COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example' }),
    ).toBeUndefined();
  });

  test('has its server by STARTTLS, and the dashboard that its links lead to', () => {
    expect(mailOf(MAIL)).toMatchObject({
      host: 'mail.example',
      encryption: 'starttls',
      dashboardUrl: 'https://dashboard.example',
    });
  });

  test('can have its address, which holds a password, in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-config-'));
    const file = join(folder, 'mail-url');
    writeFileSync(file, `${MAIL.COUNTERFOIL_MAIL_URL}\n`);
    const { COUNTERFOIL_MAIL_URL: _url, ...others } = MAIL;
    expect(mailOf({ ...others, COUNTERFOIL_MAIL_URL_FILE: file })).toEqual(mailOf(MAIL));
    expect(() => mailOf({ ...MAIL, COUNTERFOIL_MAIL_URL_FILE: file })).toThrow('COUNTERFOIL_MAIL_URL is set too');
    rmSync(folder, { recursive: true });
    expect(() => mailOf({ ...others, COUNTERFOIL_MAIL_URL_FILE: file })).toThrow('cannot be read');
  });

  test('names faults without the password', () => {
    const wrong = { ...MAIL, COUNTERFOIL_MAIL_URL: 'imap://user:secret@mail.example', COUNTERFOIL_MAIL_FROM: 'nobody' };
    expect(() => mailOf(wrong)).toThrow(/^(?!.*secret)(?=.*COUNTERFOIL_MAIL_URL:)(?=.*COUNTERFOIL_MAIL_FROM:)/s);
  });

  test('has links by https only in production', () => {
    const plain = { ...MAIL, COUNTERFOIL_DASHBOARD_URL: 'http://dashboard.example' };
    expect(() => mailOf(plain)).toThrow('COUNTERFOIL_DASHBOARD_URL: must be an https address');
    expect(mailOf({ ...plain, COUNTERFOIL_ENVIRONMENT: 'development' })?.dashboardUrl).toBe('http://dashboard.example');
  });
});
