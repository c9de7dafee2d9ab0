import type pg from 'pg';
import type { ArchivingFacts } from './judge-archiving.ts';
import type { DurabilityFacts } from './judge-durability.ts';
import type { SlotFact } from './judge-slots.ts';
import type { StandbyFacts } from './judge-standbys.ts';

/** Facts of the database server that every role may read, without `pg_monitor`. */

export async function readEncoding(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ encoding: string }>(
    'select pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
  );
  return rows[0]?.encoding ?? 'unknown';
}

/** Durability settings. Those of a role or database apply to its next sessions. */
export async function readDurabilityFacts(pool: pg.Pool): Promise<DurabilityFacts> {
  const { rows } = await pool.query<DurabilityFacts>(
    `select array(
         select name from pg_settings where setting = 'off'
         and name in ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum')) as off,
       array(
         select coalesce(r.rolname, 'all roles')::text from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole
         where 'synchronous_commit=off' = any (s.setconfig)
           and (s.setrole = 0 or r.rolname like 'counterfoil\\_%')
           and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
         order by 1) as "unsafeRoles"`,
  );
  return rows[0] ?? { off: [], unsafeRoles: [] };
}

export async function readArchivingFacts(pool: pg.Pool): Promise<ArchivingFacts> {
  const { rows } = await pool.query<ArchivingFacts>(
    `select current_setting('archive_mode') <> 'off' as "isOn",
       current_setting('archive_command') <> '' or coalesce(current_setting('archive_library', true), '') <> '' as "hasWay",
       failed_count::integer as failures, last_failed_wal as "failedFile", last_failed_time as "failedAt",
       last_archived_time as "archivedAt"
     from pg_stat_archiver`,
  );
  return rows[0] ?? { isOn: false, hasWay: false, failures: 0, failedFile: null, failedAt: null, archivedAt: null };
}

/** Replication slots with the log that each keeps, which is unknown on a standby. */
export async function listSlots(pool: pg.Pool): Promise<SlotFact[]> {
  const { rows } = await pool.query<SlotFact>(
    `select slot_name::text as name, active as "isActive", coalesce(wal_status = 'lost', false) as "isLost",
       case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint end as "keptBytes",
       (select setting::bigint >= 0 from pg_settings where name = 'max_slot_wal_keep_size') as "isLimited"
     from pg_replication_slots order by 1`,
  );
  return rows;
}

/** Required and connected standbys; their state is visible only to `pg_monitor`. */
export async function readStandbyFacts(pool: pg.Pool): Promise<StandbyFacts> {
  const { rows } = await pool.query<StandbyFacts>(
    `select current_setting('synchronous_standby_names') as names,
       array(select coalesce(application_name, '') from pg_stat_replication)::text[] as connected`,
  );
  return rows[0] ?? { names: '', connected: [] };
}

/** The probe's limit; beyond it the server stops waiting and warns. */
const COMMIT_TIMEOUT_MS = 10_000;
/** The commit is inside of the statement: a limit of statements ends before the wait of a `commit` of its own. */
const COMMIT = "do $$ begin perform pg_logical_emit_message(true, 'counterfoil-doctor', ''); commit; end $$";

/** Commits an empty message to the write-ahead log. Returns whether every required standby confirmed it. */
export async function proveCommit(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect();
  let isConfirmed = true;
  const warned = ({ severity }: { severity?: string | undefined }) => {
    if (severity === 'WARNING') isConfirmed = false;
  };
  try {
    await client.query(`set statement_timeout = ${COMMIT_TIMEOUT_MS}`);
    client.on('notice', warned);
    await client.query(COMMIT);
    await client.query('reset statement_timeout');
    client.release();
    return isConfirmed;
  } catch (cause) {
    client.release(true);
    throw cause;
  } finally {
    client.off('notice', warned);
  }
}

/** A sort beyond the smallest memory: about 4 MB go to the database's disk for a moment. */
const SPILLED_ROWS = 50_000;

/** Makes the server write to the database's disk; no role may create temporary tables, but every one may sort. */
export async function proveDisk(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query("set local work_mem = '64kB'");
    await client.query(
      `select max(text) from
         (select md5(n::text) as text from generate_series(1, ${SPILLED_ROWS}) n order by 1 offset 0) sorted`,
    );
    await client.query('rollback');
    client.release();
  } catch (cause) {
    client.release(true);
    throw cause;
  }
}
