import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDoctor } from '../../src/with-doctor.ts';

/** The doctor reads secrets from files like every process; no server is contacted here. */

const SECRETS = {
  COUNTERFOIL_DATABASE_URL: 'postgresql://me:hunter2@db.example/counterfoil',
  COUNTERFOIL_RPC_BSC: 'https://one.example/key,https://two.example/key',
  COUNTERFOIL_RPC_SOL: 'https://solana.example/key',
  COUNTERFOIL_MAIL_URL: 'smtp://user:hunter2@mail.example',
};
const OTHERS = {
  COUNTERFOIL_MAIL_FROM: 'pay@example.com',
  COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-doctor-'));
});
afterAll(() => rm(folder, { recursive: true }));

const examined = (variables: Record<string, string>) =>
  withDoctor(variables, async ({ database, chains, mailServer }) => ({
    database: database?.pool.options.connectionString,
    nodes: chains.map(({ network, urls }) => [network.id, urls]),
    mailServer,
  }));

test('what stands in files is examined as what stands in the environment', async () => {
  const files: Record<string, string> = {};
  for (const [name, value] of Object.entries(SECRETS)) {
    files[`${name}_FILE`] = join(folder, name);
    await writeFile(join(folder, name), `${value}\n`);
  }
  const fromFiles = await examined({ ...OTHERS, ...files });
  expect(fromFiles).toEqual(await examined({ ...OTHERS, ...SECRETS }));
  expect(fromFiles).toMatchObject({
    database: SECRETS.COUNTERFOIL_DATABASE_URL,
    nodes: [
      ['BSC', ['https://one.example/key', 'https://two.example/key']],
      ['SOL', ['https://solana.example/key']],
    ],
    mailServer: { host: 'mail.example' },
  });
});
