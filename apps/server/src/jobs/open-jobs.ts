import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import { JOB_SCHEMA, JOB_SCHEMA_VERSION } from './job.ts';
import { readJobVersion, readJobVersionIn, runSqlOn } from './job-sql.ts';

/** The database's jobs. Off while the tables are another pg-boss version's. */
export type Jobs = {
  /** pg-boss, or undefined while jobs are off. Rechecks the versions, so jobs come back without a restart. */
  ready(): Promise<PgBoss | undefined>;
  /** The same in a transaction, where jobs that were off stay off. */
  readyIn(tx: Tx): Promise<PgBoss | undefined>;
  /** Why jobs are off, if they are. */
  fault(): Refusal<'JOBS_OFF'> | undefined;
  close(): Promise<void>;
};

/** Interval of searches for lost jobs; shared through the database. */
const SEARCH_SECONDS = 10;
/** Interval of removals of old jobs, for all workers together. */
const REMOVAL_SECONDS = 3_600;

function createBoss({ pool }: Database, log: Logger): PgBoss {
  const boss = new PgBoss({
    db: runSqlOn(pool),
    schema: JOB_SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
    // Would read the whole server's statistics or rebuild indexes, which no process's role may do.
    monitorVacuum: false,
    reindex: false,
    monitorIntervalSeconds: SEARCH_SECONDS,
    maintenanceIntervalSeconds: REMOVAL_SECONDS,
  });
  // An unhandled error event would end the process.
  boss.on('error', (cause) => log.error({ err: cause }, 'the list of job queues could not be read'));
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'pg-boss warns'));
  return boss;
}

/**
 * Opens jobs on the process's connections. pg-boss's only timer refreshes the list of queues: workers fetch and
 * supervise jobs in their own loops under the watchdog. pg-boss is stopped while the tables have a version that it does
 * not support.
 */
export async function openJobs(database: Database, log: Logger): Promise<Jobs> {
  const boss = createBoss(database, log);
  const stop = () => boss.stop({ graceful: false, close: false });
  let fault: Refusal<'JOBS_OFF'> | undefined;

  async function switchOn(): Promise<PgBoss> {
    await boss.start();
    if (fault) log.info('jobs are on again');
    fault = undefined;
    return boss;
  }

  async function switchOff(version: number): Promise<undefined> {
    const off = { version, known: JOB_SCHEMA_VERSION };
    if (!fault) log.warn(off, 'jobs are off: the job tables belong to another version of pg-boss');
    fault = new Refusal('JOBS_OFF', off);
    await stop();
  }

  const jobs: Jobs = {
    ready: async () => {
      const version = await readJobVersion(database.pool);
      if (version === undefined) throw new Refusal('JOBS_NOT_INSTALLED');
      return version === JOB_SCHEMA_VERSION ? switchOn() : switchOff(version);
    },
    readyIn: async (tx) =>
      fault === undefined && (await readJobVersionIn(tx)) === JOB_SCHEMA_VERSION ? boss : undefined,
    fault: () => fault,
    close: stop,
  };
  await jobs.ready();
  return jobs;
}
