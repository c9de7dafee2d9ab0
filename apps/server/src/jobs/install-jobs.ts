import type pg from 'pg';
import { getConstructionPlans, getMigrationPlans, PgBoss } from 'pg-boss';
import { DEAD_JOBS, JOB_NAMES, JOB_POLICIES, JOB_SCHEMA, JOB_SCHEMA_VERSION, LIFE_SECONDS } from './job.ts';
import { createJobSchema, hasJobSchema, lockInstallation, runPlans, runSqlOn, unlockInstallation } from './job-sql.ts';

/** Time beyond its own limit before a job counts as lost. */
const SPARE_SECONDS = 30;
/** Ended jobs are not needed, and the search for lost jobs counts all rows. */
const KEEP_ENDED_SECONDS = 3_600;
const BURIAL = { retryLimit: 1_000, retryDelay: 60, expireInSeconds: 60 };

const queueOptions = (name: keyof typeof JOB_POLICIES) => {
  const { retries, firstRestSeconds, longestRestSeconds, maxSeconds } = JOB_POLICIES[name];
  return {
    retryLimit: retries,
    retryDelay: firstRestSeconds,
    retryBackoff: true,
    retryDelayMax: longestRestSeconds,
    expireInSeconds: maxSeconds + SPARE_SECONDS,
    heartbeatSeconds: LIFE_SECONDS,
    deleteAfterSeconds: KEEP_ENDED_SECONDS,
    deadLetter: DEAD_JOBS,
  };
};

/** Creates or upgrades pg-boss's tables to this package's version, which is returned. */
async function installTables(client: pg.ClientBase, boss: PgBoss): Promise<number> {
  if (!(await hasJobSchema(client))) await createJobSchema(client);
  if (!(await boss.isInstalled())) {
    await runPlans(client, getConstructionPlans(JOB_SCHEMA, { createSchema: false }));
    return JOB_SCHEMA_VERSION;
  }
  const version = (await boss.schemaVersion()) ?? JOB_SCHEMA_VERSION;
  if (version > JOB_SCHEMA_VERSION) return version;
  if (version < JOB_SCHEMA_VERSION) await runPlans(client, getMigrationPlans(JOB_SCHEMA, version));
  return JOB_SCHEMA_VERSION;
}

async function installQueues(boss: PgBoss): Promise<void> {
  await boss.start();
  try {
    const present = new Set((await boss.getQueues()).map(({ name }) => name));
    const wanted = [
      { name: DEAD_JOBS, options: BURIAL },
      ...JOB_NAMES.map((name) => ({ name, options: queueOptions(name) })),
    ];
    for (const { name, options } of wanted) {
      if (present.has(name)) await boss.updateQueue(name, options);
      else await boss.createQueue(name, options);
    }
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

/** Installs jobs as the connection's role; repeatable. False for job tables of a newer pg-boss. */
export async function installJobs(client: pg.ClientBase): Promise<boolean> {
  const boss = new PgBoss({
    db: runSqlOn(client),
    schema: JOB_SCHEMA,
    migrate: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await lockInstallation(client);
  try {
    const isKnown = (await installTables(client, boss)) === JOB_SCHEMA_VERSION;
    if (isKnown) await installQueues(boss);
    return isKnown;
  } finally {
    await unlockInstallation(client);
  }
}
