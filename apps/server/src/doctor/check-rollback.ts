import { findObstacle, OLDEST_BY_THE_RULE } from '../db/compatibility.ts';
import type { Database } from '../db/database.ts';
import { readApplied, readMigrations } from '../db/migrate.ts';
import { onSnapshot } from '../db/transaction.ts';
import { JOBS_OFF_SINCE, jobVersionOf } from '../jobs/job-history.ts';
import { readJobVersion } from '../jobs/job-sql.ts';
import { Refusal } from '../lib/refusal.ts';

type RollbackAnswer = {
  /** Its newest migration. */
  version: number;
  /** Version of the job tables, if any. */
  tables: number | undefined;
};

const NUMBER = /^\d{1,4}$/;

/** Whether a version, given by its newest migration, could run on this database; refuses with every reason. */
export async function checkRollback({ database }: { database: Database }, to: string): Promise<RollbackAnswer> {
  const { applied, tables } = await onSnapshot(database, async (client) => ({
    applied: await readApplied(client),
    tables: await readJobVersion(client),
  }));
  const newest = Math.min(applied.at(-1)?.version ?? 0, (await readMigrations()).length);
  const version = NUMBER.test(to) ? Number(to) : 0;
  if (version < OLDEST_BY_THE_RULE || version > newest)
    throw new Refusal('ROLLBACK_VERSION_UNKNOWN', { given: to, oldest: OLDEST_BY_THE_RULE, newest });
  const obstacle = findObstacle(applied, version);
  const supported = jobVersionOf(version);
  const jobs =
    supported === undefined || supported === tables
      ? undefined
      : { tables: tables ?? 0, supported, startsOff: version >= JOBS_OFF_SINCE };
  if (obstacle || jobs) throw new Refusal('ROLLBACK_REFUSED', { version, obstacle, jobs });
  return { version, tables };
}
