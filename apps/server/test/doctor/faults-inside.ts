import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { Template } from '../../rig/database/template-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { HealthyInstance } from '../../rig/site/healthy-instance.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { periodOf } from '../../src/db/partition-sql.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Ends, Faults } from './planted-fault.ts';

/** Faults of settings, of the schema, of processes and of the key ring. */

const LATER_MS = 10_000;
const nextMonth = () => {
  const now = new Date(systemClock.nowMs());
  return periodOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)))
    .slice(0, 7)
    .replace('-', '_');
};

/** The live store takes money on a network without a reader. */
export async function takeEth(healthy: HealthyInstance): Promise<void> {
  const { ref: store, ring } = healthy.store;
  const context = { networks: NETWORKS, database: healthy.own.database, clock: systemClock, ring, jobs: undefined };
  const address = '0x00000000000000000000000000000000000000e1';
  await addWallet(context, TESTER, { store, network: 'ETH', address, now: { reason: 'test' } });
}

type Healthy = () => HealthyInstance;

const queryOf = (healthy: Healthy) => (text: string) => healthy().own.database.pool.query(text);

function faultsOfSettings(healthy: Healthy, ends: Ends, template: () => Template): Faults {
  const withVariables = (variables: Record<string, string>) => ({
    variables: { ...healthy().context.variables, ...variables },
  });
  return {
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
        const other = await openTestDatabase(template());
        ends.push(() => other.drop());
        return withVariables({ COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(other.url, 'views') });
      },
      found: /^views: .*two databases/,
    },
    'lists from nowhere': {
      change: async () => withVariables({ COUNTERFOIL_VIEWS_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }),
      found: /^views: .*cannot be asked/,
    },
  };
}

function faultsOfSchema(healthy: Healthy): Faults {
  const query = queryOf(healthy);
  return {
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
      change: async () => ({ database: healthy().own.as('worker') }),
      found: /^database role: counterfoil_worker does not fit counterfoil_admin/,
    },
    'a superuser': {
      change: async () => ({ database: healthy().own.database }),
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
      found: /^connections: .*need 755/,
    },
    'alerts that do not arrive': {
      change: async () => {
        await query(
          `insert into alerts (kind, channel, phase, hour, alarms, subjects, created_at, next_attempt_at, state, attempts, decided_at, last_error)
         values ('found-late', 'email', 'raised', now() - interval '1 hour', 1, '{x}', now() - interval '1 hour', now(), 'sent', 1, now() - interval '1 hour', null),
           ('found-late', 'email', 'raised', now(), 1, '{x}', now(), now(), 'failed', 1, now(), '550 No such user')`,
        );
        return {};
      },
      undo: () => query('delete from alerts'),
      found: /^alerts: Alerts by email do not arrive: 550 No such user/,
    },
    'a plan that does not exist': { change: async () => ({ storePlan: 'gold' }), found: /^store plan: .*gold/ },
  };
}

function faultsOfReading(healthy: Healthy): Faults {
  const query = queryOf(healthy);
  return {
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
        await takeEth(healthy());
        return {};
      },
      undo: () => query("update wallets set removed_at = now() where network = 'ETH'"),
      found: /^workers: .*ETH/,
    },
  };
}

function faultsOfKeyRing(healthy: Healthy): Faults {
  return {
    'a missing key ring': {
      change: async () => ({ keyRingFile: join(healthy().folder, 'none.json') }),
      found: /^key ring: /,
    },
    'a key ring that others can read': {
      change: async () => {
        const path = join(healthy().folder, 'open.json');
        await copyFile(healthy().context.keyRingFile ?? '', path);
        await chmod(path, 0o644);
        return { keyRingFile: path };
      },
      found: /^key ring: .*open\.json/,
    },
    'the key ring of another installation': {
      change: async () => {
        const path = join(healthy().folder, 'other.json');
        const key = Buffer.alloc(32, 7).toString('base64');
        await writeFile(path, JSON.stringify({ keys: { k9: key } }), { mode: 0o600 });
        return { keyRingFile: path };
      },
      found: /^key ring: /,
    },
  };
}

export const faultsInside = (healthy: Healthy, ends: Ends, template: () => Template): Faults => ({
  ...faultsOfSettings(healthy, ends, template),
  ...faultsOfSchema(healthy),
  ...faultsOfReading(healthy),
  ...faultsOfKeyRing(healthy),
});
