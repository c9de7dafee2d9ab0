import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFailingCluster } from '../../rig/database/failing-cluster.ts';
import { openPatiently, roleUrl } from '../../rig/database/role-database.ts';
import { dropDatabase, temporaryName } from '../../rig/database/temporary-database.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { HealthyInstance } from '../../rig/site/healthy-instance.ts';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase } from '../../src/db/database.ts';
import type { Ends, Faults } from './planted-fault.ts';

/** Faults of a dedicated database server, and unacknowledged alarms. */

type Healthy = () => HealthyInstance;

/** Settings of the server with which an installation is healthy. */
export const SOUND_SERVER = { archive_mode: 'on', archive_command: 'true' };

const POLL_MS = 20;

/** What an administrator of the server does. */
function administer(healthy: Healthy) {
  const query = (text: string) => healthy().own.database.pool.query(text);
  const isTrue = async (condition: string) =>
    (await query(`select ${condition} as holds`)).rows.some((row: { holds: boolean }) => row.holds);
  const until = (condition: string) => waitUntil(() => isTrue(condition), { what: condition, pollMs: POLL_MS });
  const reload = async (condition: string) => {
    await query('select pg_reload_conf()');
    await until(condition);
  };
  return {
    query,
    until,
    set: async (name: string, value: string) => {
      await query(`alter system set ${name} = '${value}'`);
      await reload(`current_setting('${name}') = '${value}'`);
    },
    reset: async (name: string) => {
      const before = (await query(`show ${name}`)).rows[0] as Record<string, string>;
      await query(`alter system reset ${name}`);
      await reload(`current_setting('${name}') <> '${before[name]}'`);
    },
  };
}

const adminAt = (url: string): Database =>
  openPatiently({ url, connections: 3, name: 'counterfoil-doctor', reports: true, settingsOnRole: true });

function settingOf(healthy: Healthy, name: string, value: string, found: RegExp): Faults[string] {
  const { set, reset } = administer(healthy);
  return {
    change: async () => {
      await set(name, value);
      return {};
    },
    found,
    undo: () => reset(name),
  };
}

/** A change of the database or of a role, which new sessions alone see. */
function changeOf(healthy: Healthy, what: (name: string) => string, setting: string, found: RegExp): Faults[string] {
  const opened: Database[] = [];
  const name = () => new URL(healthy().own.url).pathname.slice(1);
  const { query } = administer(healthy);
  return {
    change: async () => {
      await query(`alter ${what(name())} set ${setting}`);
      const database = adminAt(roleUrl(healthy().own.url, 'admin'));
      opened.push(database);
      return { database };
    },
    found,
    undo: async () => {
      await query('set default_transaction_read_only = off');
      await query(`alter ${what(name())} reset ${setting.split(' ')[0]}`);
      await Promise.all(opened.map(closeDatabase));
    },
  };
}

const newest = (which: string) =>
  `(select ${which} from (select last_failed_time as failed, coalesce(last_archived_time, '-infinity') as archived
    from pg_stat_archiver) a)`;

function failingArchive(healthy: Healthy): Faults[string] {
  const { query, until, set, reset } = administer(healthy);
  const switchFile = async () => {
    await query("select pg_logical_emit_message(false, 'test', 'x')");
    await query('select pg_switch_wal()');
  };
  return {
    change: async () => {
      await set('archive_command', 'false');
      await switchFile();
      await until(newest('coalesce(failed > archived, false)'));
      return {};
    },
    found: /^archiving: Archiving \w{24} failed at /,
    undo: async () => {
      await reset('archive_command');
      await switchFile();
      await until(newest('archived >= failed'));
    },
  };
}

function deadSlot(healthy: Healthy): Faults[string] {
  const { query } = administer(healthy);
  return {
    change: async () => {
      await query("select pg_create_physical_replication_slot('gone', true)");
      return {};
    },
    found: /^replication slots: Slot gone has no reader and keeps \d+ MB .* until the disk is full/,
    undo: () => query("select pg_drop_replication_slot('gone')"),
  };
}

/** A standby that receives the log and confirms nothing, as one whose disk hangs: pg_receivewal without `--synchronous`. */
function silentStandby(healthy: Healthy): Faults[string] {
  const { until, set, reset } = administer(healthy);
  let standby: { child: ChildProcess; folder: string } | undefined;
  return {
    change: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'counterfoil-standby-'));
      const program = join(process.env['COUNTERFOIL_POSTGRES_BIN'] ?? '', 'pg_receivewal');
      const from = `${healthy().own.url}?application_name=silent`;
      standby = { child: spawn(program, ['-D', folder, '-d', from], { stdio: 'ignore' }), folder };
      await until("exists (select from pg_stat_replication where application_name = 'silent' and state = 'streaming')");
      await set('synchronous_standby_names', 'silent');
      return {};
    },
    found: /^synchronous standby: A standby .* is connected and confirmed none for ten seconds: every write hangs/,
    undo: async () => {
      await reset('synchronous_standby_names');
      if (!standby) return;
      const ended = once(standby.child, 'exit');
      standby.child.kill();
      await ended;
      await rm(standby.folder, { recursive: true });
    },
  };
}

function anotherEncoding(healthy: Healthy, ends: Ends): Faults[string] {
  return {
    change: async () => {
      const { url } = healthy().own;
      const name = temporaryName('ascii');
      await administer(healthy).query(
        `create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`,
      );
      const database = adminAt(roleUrl(Object.assign(new URL(url), { pathname: name }).href, 'admin'));
      ends.push(async () => {
        await closeDatabase(database);
        await dropDatabase(url, name);
      });
      return { database };
    },
    found: /^encoding: .* SQL_ASCII/,
  };
}

function unreadAlarm(healthy: Healthy, kind: string, found: RegExp): Faults[string] {
  const { query } = administer(healthy);
  return {
    change: async () => {
      await query(
        `insert into alarms (at, kind, subject, details) values (now(), '${kind}', 'TID-0000000000000000', '{}')`,
      );
      return {};
    },
    found,
    undo: () => query(`delete from alarms where kind = '${kind}'`),
  };
}

const fullDisk = (ends: Ends): Faults[string] => ({
  change: async () => {
    const cluster = await startFailingCluster({ megabytes: 128 });
    const database = adminAt(cluster.url);
    ends.push(async () => {
      await closeDatabase(database);
      await cluster.stop();
    });
    // Its connections are open before the disk is full, as those of a running process.
    await database.pool.query('select');
    await cluster.fill();
    return { database };
  },
  found: /^database disk: The disk of the database is full/,
});

/** What research on running the product found green while it was unsafe, or named by half. */
export const faultsOfServer = (healthy: Healthy, ends: Ends): Faults => ({
  'fsync that is off': settingOf(healthy, 'fsync', 'off', /^durability: fsync is off/),
  'synchronous_commit that is off': settingOf(
    healthy,
    'synchronous_commit',
    'off',
    /^durability: synchronous_commit is off: /,
  ),
  'full_page_writes that is off': settingOf(healthy, 'full_page_writes', 'off', /^durability: full_page_writes is off/),
  'an archive that cannot be written': failingArchive(healthy),
  'a dead replication slot': deadSlot(healthy),
  'a database in SQL_ASCII': anotherEncoding(healthy, ends),
  'a reverted payment that nobody has acknowledged': unreadAlarm(
    healthy,
    'payment-reverted',
    /^alarms: .*about payments: payment-reverted \(1\)/,
  ),
  'a full disk of the database': fullDisk(ends),
  'a synchronous standby that is gone': settingOf(
    healthy,
    'synchronous_standby_names',
    'FIRST 1 (standby)',
    /^synchronous standby: Commits wait for 1 .* 0 are connected: every write hangs/,
  ),
});

/** Faults beside those of the research. */
export const furtherFaultsOfServer = (healthy: Healthy): Faults => ({
  'replicas that need more connections than there are': {
    change: async () => ({ databaseBudget: 120 }),
    found: /^connections: All processes at full scale may need 125 .* gives 97/,
  },
  'a database that takes fewer connections than its server': {
    change: async () => {
      const name = new URL(healthy().own.url).pathname.slice(1);
      await administer(healthy).query(`alter database ${name} connection limit 54`);
      return {};
    },
    found: /^connections: .* need 55 .* gives 54/,
    undo: () =>
      administer(healthy).query(`alter database ${new URL(healthy().own.url).pathname.slice(1)} connection limit -1`),
  },
  'a synchronous standby that is connected and confirms nothing': silentStandby(healthy),
  'an archive without a command': settingOf(healthy, 'archive_command', '', /^archiving: .*archive_command is empty/),
  'autovacuum that is off': settingOf(healthy, 'autovacuum', 'off', /^durability: autovacuum is off/),
  'a role that does not wait for its commits': changeOf(
    healthy,
    (name) => `role counterfoil_api in database ${name}`,
    'synchronous_commit = off',
    /^durability: synchronous_commit is off for counterfoil_api/,
  ),
  'a database that is read-only': changeOf(
    healthy,
    (name) => `database ${name}`,
    'default_transaction_read_only = on',
    /^writing: .*read-only/,
  ),
  'a payment that came late and that nobody has acknowledged': unreadAlarm(
    healthy,
    'found-late',
    /^alarms: .*single payments: found-late \(1\)/,
  ),
});
