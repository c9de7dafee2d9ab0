import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { periodOf } from '../../src/db/partition-sql.ts';
import { judgeDisk } from '../../src/doctor/examine-disk.ts';
import type { DoctorContext } from '../../src/doctor/run-doctor.ts';
import { runDoctor } from '../../src/doctor/run-doctor.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { operate } from '../../src/operate.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { PlantedFault } from './faults-outside.ts';
import { faultsOutside } from './faults-outside.ts';
import type { HealthyInstance } from './healthy-instance.ts';
import { startHealthyInstance } from './healthy-instance.ts';

/** The doctor against a healthy installation, and against one with a fault of each kind. */

let healthy: HealthyInstance;
beforeAll(async () => {
  healthy = await startHealthyInstance(inject('template'));
});
afterAll(() => healthy.close());

async function complaints(changes: Partial<DoctorContext> = {}): Promise<string[]> {
  const findings = await runDoctor({ ...healthy.context, ...changes });
  return findings.filter(({ state }) => state !== 'fine').map(({ check, says }) => `${check}: ${says}`);
}

const withVariables = (variables: Record<string, string>) => ({
  variables: { ...healthy.context.variables, ...variables },
});

test('a healthy installation gives no alarm', async () => {
  expect(await complaints()).toEqual([]);
});

test('one database for lists and for everything else gives no alarm', async () => {
  const views = { COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(healthy.own.url, 'views') };
  const findings = await runDoctor({ ...healthy.context, ...withVariables(views) });
  expect(findings.filter(({ check }) => check === 'views')).toMatchObject([{ state: 'fine' }]);
});

test('every complaint says how to mend it', async () => {
  const findings = await runDoctor({ ...healthy.context, database: undefined, chains: [], mailServer: undefined });
  expect(findings.filter(({ state, mend }) => state !== 'fine' && !mend)).toEqual([]);
});

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

const LATER_MS = 10_000;
const query = (text: string) => healthy.own.database.pool.query(text);
const nextMonth = () => {
  const now = new Date(systemClock.nowMs());
  return periodOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)))
    .slice(0, 7)
    .replace('-', '_');
};

/** The live store takes money on a network that nobody reads. */
async function takeEth(): Promise<void> {
  const { ref: store, ring } = healthy.store;
  const context = { networks: NETWORKS, database: healthy.own.database, clock: systemClock, ring, jobs: undefined };
  const address = '0x00000000000000000000000000000000000000e1';
  await addWallet(context, TESTER, { store, network: 'ETH', address, now: { reason: 'test' } });
}

const FAULTS_INSIDE: Record<string, PlantedFault> = {
  'a setting of the wrong form': {
    change: async () => withVariables({ COUNTERFOIL_SHARDS: 'abc' }),
    found: /^settings: COUNTERFOIL_SHARDS/,
  },
  'a misspelt setting': {
    change: async () => withVariables({ COUNTERFOIL_TRUSTED_PROXY: '10.0.0.1' }),
    found: /^settings: .*COUNTERFOIL_TRUSTED_PROXIES is meant/,
  },
  'development behind a public address': {
    change: async () =>
      withVariables({ COUNTERFOIL_ENVIRONMENT: 'development', COUNTERFOIL_CHECKOUT_URL: 'https://pay.example' }),
    found: /^environment: /,
  },
  'proxies that are everybody': {
    change: async () => withVariables({ COUNTERFOIL_TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }),
    found: /^settings: COUNTERFOIL_TRUSTED_PROXIES: /,
  },
  'an operations port for everybody': {
    change: async () => withVariables({ COUNTERFOIL_OPERATIONS_HOST: '0.0.0.0' }),
    found: /^operations port: /,
  },
  'open registration without mail': {
    change: async () => withVariables({ COUNTERFOIL_REGISTRATION: 'open' }),
    found: /^settings: COUNTERFOIL_REGISTRATION: /,
  },
  'lists from another database': {
    change: async () => {
      const other = await openTestDatabase(inject('template'));
      ends.push(() => other.drop());
      return withVariables({ COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(other.url, 'views') });
    },
    found: /^views: .*two databases/,
  },
  'lists from nowhere': {
    change: async () => withVariables({ COUNTERFOIL_VIEWS_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }),
    found: /^views: .*cannot be asked/,
  },
  'a clock that is wrong': {
    change: async () => ({ clock: createManualClock(systemClock.nowMs() - LATER_MS) }),
    found: /^clock: .*away from the database/,
  },
  'a schema that is behind': {
    change: async () => {
      await query('create table kept as select * from schema_migrations order by version desc limit 1');
      await query('delete from schema_migrations where version = (select version from kept)');
      return {};
    },
    undo: async () => {
      await query('insert into schema_migrations select * from kept');
      await query('drop table kept');
    },
    found: /^schema: .*older than this version/,
  },
  "another process's role": {
    change: async () => ({ database: healthy.own.as('worker') }),
    found: /^database role: counterfoil_worker does not fit counterfoil_admin/,
  },
  'a superuser': {
    change: async () => ({ database: healthy.own.database }),
    found: /^database role: .*is a superuser/,
  },
  'a missing partition': {
    change: async () => {
      await query(`drop table attempts_${nextMonth()}`);
      return {};
    },
    undo: () => query('select make_partitions(current_date)'),
    found: /^partitions: .*attempts/,
  },
  'more connections than the server has': {
    change: async () => ({ databaseConnections: 150 }),
    found: /^connections: .*needs 605/,
  },
  'a plan that does not exist': { change: async () => ({ storePlan: 'gold' }), found: /^store plan: .*gold/ },
  'a network of a live store without nodes': { change: async () => ({ chains: [] }), found: /^networks: .*BSC/ },
  'a worker that does not read any more': {
    change: async () => {
      await query(
        `insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at)
         values ('ETH', 1, '0x1', now() - interval '1 hour', 1, now() - interval '1 hour', now() - interval '1 hour')`,
      );
      return {};
    },
    undo: () => query("delete from chains where network = 'ETH'"),
    found: /^workers: .*ETH/,
  },
  'a network of a live store that nobody has ever read': {
    change: async () => {
      await takeEth();
      return {};
    },
    undo: () => query("update wallets set removed_at = now() where network = 'ETH'"),
    found: /^workers: .*ETH/,
  },
  'a missing key ring': {
    change: async () => ({ keyRingFile: join(healthy.folder, 'none.json') }),
    found: /^key ring: /,
  },
  'a key ring that others can read': {
    change: async () => {
      const path = join(healthy.folder, 'open.json');
      await copyFile(healthy.context.keyRingFile ?? '', path);
      await chmod(path, 0o644);
      return { keyRingFile: path };
    },
    found: /^key ring: .*open\.json/,
  },
  'the key ring of another installation': {
    change: async () => {
      const path = join(healthy.folder, 'other.json');
      const key = Buffer.alloc(32, 7).toString('base64');
      await writeFile(path, JSON.stringify({ keys: { k9: key } }), { mode: 0o600 });
      return { keyRingFile: path };
    },
    found: /^key ring: /,
  },
};

describe('the doctor names', () => {
  test.each(Object.entries({ ...FAULTS_INSIDE, ...faultsOutside(() => healthy, ends) }))(
    '%s',
    async (_title, { change, found, undo }) => {
      try {
        const changes = await change();
        const said = await complaints(changes);
        expect(said.some((line) => found.test(line)) ? 'found' : said).toBe('found');
      } finally {
        await undo?.();
      }
    },
  );
});

test('a network that only a store takes which is switched off need not be read', async () => {
  await takeEth();
  try {
    await query('update stores set active = false');
    expect(await complaints()).toEqual([]);
    await query('update stores set active = true');
    await query('update merchants set active = false');
    expect(await complaints()).toEqual([]);
  } finally {
    await query('update stores set active = true');
    await query('update merchants set active = true');
    await query("update wallets set removed_at = now() where network = 'ETH'");
  }
});

const examine = async (settings: Record<string, string | undefined>) => {
  const { code, out } = await operate(['doctor', '--json'], settings);
  const findings = JSON.parse(out) as { check: string; state: string; says: string }[];
  return { code, findings, states: new Set(findings.map(({ state }) => state)) };
};

describe('the command', () => {
  test('ends with 0 when something is doubtful and nothing wrong, and reads nodes from a file', async () => {
    const file = join(healthy.folder, 'nodes');
    await writeFile(file, healthy.settings['COUNTERFOIL_RPC_BSC'] ?? '');
    const nodes = { COUNTERFOIL_RPC_BSC: undefined, COUNTERFOIL_RPC_BSC_FILE: file };
    const { code, findings, states } = await examine({ ...healthy.settings, ...nodes });
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
    // No mail server is named.
    expect(states).toContain('doubtful');
    expect(findings.filter(({ check, state }) => check === 'node of BSC' && state === 'fine')).toHaveLength(2);
    expect(code).toBe(0);
  });

  test('ends with 1 when something is wrong', async () => {
    const { code, states } = await examine({ ...healthy.settings, COUNTERFOIL_STORE_PLAN: 'gold' });
    expect(states).toContain('wrong');
    expect(code).toBe(1);
  });
});

test.each([
  [4, 'wrong'],
  [14, 'doubtful'],
  [16, 'fine'],
])('a disk with %i of 100 free is %s', (freeBytes, state) => {
  expect(judgeDisk('/', { bytes: 100, freeBytes }).state).toBe(state);
});
