import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findUnknownSettings } from './find-unknown-settings.ts';
import { PROCESS_NAMES } from './server-process.ts';
import { showSettings } from './show-settings.ts';

const SECRETS = {
  COUNTERFOIL_DATABASE_URL: 'postgresql://me:hunter2@db/counterfoil',
  COUNTERFOIL_VIEWS_DATABASE_URL: 'postgresql://views:hunter2@db/counterfoil',
  COUNTERFOIL_MAIL_URL: 'smtp://user:hunter2@mail.example',
  COUNTERFOIL_RPC_BSC: 'https://node.example/hunter2',
  COUNTERFOIL_INSPECT_RPC_BSC: 'https://node.example/hunter2',
};

test.each(PROCESS_NAMES)('the settings of %s are shown without their secrets', (process) => {
  const shown = showSettings(process, SECRETS);
  expect(JSON.stringify(shown)).not.toContain('hunter2');
  expect(shown).toContainEqual({ name: 'COUNTERFOIL_DATABASE_URL', value: '(hidden)', from: 'environment' });
});

test.each(PROCESS_NAMES)('the settings of %s are shown without the secrets that come from files', (process) => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-config-'));
  const files = Object.entries(SECRETS).map(([name, value]) => {
    const path = join(folder, name);
    writeFileSync(path, value);
    return [`${name}_FILE`, path];
  });
  const shown = showSettings(process, Object.fromEntries(files) as Record<string, string>);
  rmSync(folder, { recursive: true });
  expect(JSON.stringify(shown)).not.toContain('hunter2');
  expect(shown).toContainEqual({ name: 'COUNTERFOIL_DATABASE_URL', value: '(hidden)', from: 'file' });
});

test('an address is shown without its user, its query and its fragment, which may be keys', () => {
  const addresses = {
    COUNTERFOIL_DASHBOARD_URL: 'https://me:hunter2@dashboard.example/x',
    COUNTERFOIL_CHECKOUT_URL: 'https://pay.example/eu?token=hunter2#hunter2',
    COUNTERFOIL_PRICE_KRAKEN_URL: 'https://hunter2@prices.example',
  };
  for (const process of PROCESS_NAMES)
    expect(JSON.stringify(showSettings(process, addresses))).not.toContain('hunter2');
  expect(showSettings('dashboard', addresses)).toEqual(
    expect.arrayContaining([
      { name: 'COUNTERFOIL_DASHBOARD_URL', value: 'https://(hidden)@dashboard.example/x', from: 'environment' },
      { name: 'COUNTERFOIL_CHECKOUT_URL', value: 'https://pay.example/eu?(hidden)', from: 'environment' },
    ]),
  );
});

test('a default is shown as such', () => {
  expect(showSettings('api', { COUNTERFOIL_PORT: '80' })).toEqual(
    expect.arrayContaining([
      { name: 'COUNTERFOIL_PORT', value: '80', from: 'environment' },
      { name: 'COUNTERFOIL_OPERATIONS_PORT', value: '3001', from: 'default' },
      { name: 'COUNTERFOIL_TRUSTED_PROXIES', value: '(none)', from: 'default' },
    ]),
  );
});

test('a misspelt setting is found, with the one that was meant', () => {
  const variables = {
    COUNTERFOIL_TRUSTED_PROXY: '10.0.0.0/8',
    COUNTERFOIL_RPC_BCS: 'https://node.example',
    COUNTERFOIL_SOMETHING_ELSE: 'x',
    COUNTERFOIL_RPC_ETH_FILE: '/secret',
    COUNTERFOIL_LOCAL_POSTGRES_PORT: '5',
    HOME: '/',
  };
  expect(findUnknownSettings(variables)).toEqual([
    'COUNTERFOIL_TRUSTED_PROXY: nothing reads it; COUNTERFOIL_TRUSTED_PROXIES is meant perhaps',
    'COUNTERFOIL_RPC_BCS: nothing reads it; COUNTERFOIL_RPC_BSC is meant perhaps',
    'COUNTERFOIL_SOMETHING_ELSE: nothing reads it',
  ]);
});
