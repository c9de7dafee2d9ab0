import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { examineSettings } from './examine-settings.ts';

const VALID = { COUNTERFOIL_DATABASE_URL: 'postgresql://db/counterfoil' };

const complaints = (settings: Record<string, string>) =>
  examineSettings('admin', { ...VALID, ...settings })
    .filter(({ state }) => state !== 'fine')
    .map(({ check, says }) => `${check}: ${says}`);

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('what the command line needs is enough: what only other processes need is not missed', () => {
  expect(complaints({})).toEqual([]);
  const pages = { COUNTERFOIL_CHECKOUT_URL: 'https://pay.example', COUNTERFOIL_DASHBOARD_URL: 'https://me.example' };
  expect(complaints(pages)).toEqual([]);
});

describe('a wrong value is named whichever process reads it', () => {
  test.each([
    ['COUNTERFOIL_CHECKOUT_URL', 'pay.example.com'],
    ['COUNTERFOIL_CHECKOUT_URL', 'http://pay.example.com'],
    ['COUNTERFOIL_DATABASE_CONNECTIONS', 'ten'],
    ['COUNTERFOIL_TRUSTED_PROXIES', 'junk'],
    ['COUNTERFOIL_TRUSTED_PROXIES', '10.0.0.1,0.0.0.0/0'],
    ['COUNTERFOIL_TRUSTED_PROXIES', '10.0.0.0/0'],
    ['COUNTERFOIL_TRUSTED_PROXIES', '0.0.0.0/1,128.0.0.0/1'],
    ['COUNTERFOIL_REGISTRATION', 'Open'],
    ['COUNTERFOIL_STORE_PLAN', ''],
    ['COUNTERFOIL_HOST', ''],
    ['COUNTERFOIL_OPERATIONS_HOST', ''],
    ['COUNTERFOIL_OPERATIONS_HOST', '0'],
    ['COUNTERFOIL_OPERATIONS_HOST', '[::]'],
    ['COUNTERFOIL_PRICE_KRAKEN_URL', 'http://prices.example'],
    ['COUNTERFOIL_POLL_MS', '1s'],
    ['COUNTERFOIL_INSPECT_RPC_BSC', 'http://node.example'],
    ['COUNTERFOIL_FAILPOINT', 'settled'],
    ['COUNTERFOIL_VIEWS_DATABASE_URL_FILE', '/nowhere'],
  ])('%s=%s', (name, value) => {
    expect(complaints({ [name]: value })).toEqual([expect.stringMatching(`^settings: ${name}[:.]`)]);
  });

  test('once, though several processes read it, and without repeating it', () => {
    expect(complaints({ COUNTERFOIL_ENVIRONMENT: 'hunter2' })).toEqual([
      expect.stringMatching(/^settings: COUNTERFOIL_ENVIRONMENT: (?!.*hunter2)/),
    ]);
  });

  test('also when it comes from a file', () => {
    const nodes = fileWith('nodes', 'http://node.example/hunter2');
    expect(complaints({ COUNTERFOIL_RPC_BSC_FILE: nodes })).toEqual([
      expect.stringMatching(/^settings: COUNTERFOIL_RPC_BSC: must be https(?!.*hunter2)/),
    ]);
  });
});

test.each(['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'])(
  'operations ports on %s are on every address, however it is written',
  (host) => {
    expect(complaints({ COUNTERFOIL_OPERATIONS_HOST: host })).toEqual([
      expect.stringMatching('^operations port: Health and metrics are served on every address'),
    ]);
  },
);

test.each(['127.0.0.1', '10.0.0.7', '::1', 'localhost'])('operations ports on %s are fine', (host) => {
  expect(complaints({ COUNTERFOIL_OPERATIONS_HOST: host })).toEqual([]);
});

test('a port that changes with every start is doubtful', () => {
  expect(complaints({ COUNTERFOIL_PORT: '0' })).toEqual([expect.stringMatching('^ports: COUNTERFOIL_PORT')]);
  expect(complaints({ COUNTERFOIL_PORT: '80' })).toEqual([]);
});

test('development behind an https address is wrong, however the address is written', () => {
  const development = { COUNTERFOIL_ENVIRONMENT: 'development' };
  expect(complaints({ ...development, COUNTERFOIL_CHECKOUT_URL: 'HTTPS://pay.example' })).toEqual([
    expect.stringMatching('^environment: '),
  ]);
  expect(complaints({ ...development, COUNTERFOIL_CHECKOUT_URL: 'http://localhost:3000' })).toEqual([]);
});

test('open registration needs a mail server, which may be in a file', () => {
  const open = { COUNTERFOIL_REGISTRATION: 'open' };
  expect(complaints(open)).toEqual([expect.stringMatching('^settings: COUNTERFOIL_REGISTRATION: open needs')]);
  const mail = { COUNTERFOIL_MAIL_FROM: 'pay@acme.test', COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.acme.test' };
  const file = fileWith('mail', 'smtp://user:hunter2@mail.acme.test');
  expect(complaints({ ...open, ...mail, COUNTERFOIL_MAIL_URL_FILE: file })).toEqual([]);
});
