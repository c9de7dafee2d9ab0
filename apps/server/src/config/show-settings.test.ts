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
