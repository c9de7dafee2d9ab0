import { formatVersion } from '../../src/db/compatibility.ts';
import { readJobVersion } from '../../src/jobs/job-sql.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Emails } from './emails.ts';
import type { Killed, Killing } from './kill-api.ts';
import { killApi } from './kill-api.ts';
import { administer } from './merchant.ts';
import type { Ran } from '../../rig/processes/run-program.ts';
import { requireSuccess, runOfVersion } from './run-of-version.ts';
import type { Slot } from './site.ts';
import type { Version, Versions } from './versions.ts';

/** One upgrade and one rollback, with the commands of the guide and in its order. */

export type Stage = Killing & { versions: Versions; emails: Emails; killed: Killed[]; round: number };

const USING_JOBS = ['dashboard', 'worker-1', 'worker-2'] as const;
const OTHERS: readonly Slot[] = ['dashboard', 'worker-1', 'worker-2'];
const JOBS_OFF = /^Jobs are off/;
const CURRENT = /^The schema is current\./;
const POLL_MS = 200;
const SOON_MS = 60_000;
const HTTP_OK = 200;

const migrate = ({ site }: Stage, { folder }: Version, ...words: string[]): Promise<Ran> =>
  runOfVersion({ folder, program: 'main-migrate', words }, site.settings.owner);

const readTables = ({ site }: Stage) => readJobVersion(site.database.pool);

/** Migrates to the present version, after a look at what that would do. */
async function migrateToPresent(stage: Stage): Promise<void> {
  const { versions, faults } = stage;
  const { earlier, present } = versions;
  const before = await readTables(stage);
  const plan = requireSuccess(await migrate(stage, present, '--plan'), 'migrate --plan');
  if (before !== present.jobs && !plan.includes(`from version ${before} to ${present.jobs}`))
    faults.add(`migrate --plan does not name the upgrade of the job tables: ${plan}`);
  const isFirst = stage.round === 1;
  if (isFirst && !plan.includes(`${formatVersion(earlier.schema + 1)}-`))
    faults.add(`migrate --plan does not name the first new migration: ${plan}`);
  if ((await readTables(stage)) !== before) faults.add('migrate --plan has migrated the job tables');
  requireSuccess(await migrate(stage, present), 'migrate');
  if ((await readTables(stage)) !== present.jobs) faults.add('migrate has not migrated the job tables');
  const after = requireSuccess(await migrate(stage, present, '--plan'), 'migrate --plan');
  if (!CURRENT.test(after)) faults.add(`migrate --plan would do something after the migration: ${after}`);
}

/** Waits until every process of the earlier version that uses jobs is ready with its jobs off. Returns those that are not. */
async function findJobsOn({ installation }: Stage, when: string): Promise<string[]> {
  const faults: string[] = [];
  for (const slot of USING_JOBS) {
    const isOff = async () => {
      const { status, notes } = await installation.health(slot);
      return status === HTTP_OK && notes.some((note) => JOBS_OFF.test(note));
    };
    const limits = { what: '', pollMs: POLL_MS, timeoutMs: SOON_MS };
    await waitUntil(isOff, limits).catch(async () => {
      faults.push(`${slot} does not run with jobs off ${when}: ${JSON.stringify(await installation.health(slot))}`);
    });
  }
  return faults;
}

/** Replaces all processes: the APIs first, of which the first is killed once it has been replaced. */
async function replaceAll(stage: Stage, version: Version): Promise<void> {
  const { installation, killed, round } = stage;
  await installation.replace('api-1', version);
  killed.push(await killApi(stage, 'api-1', `kill-${version.name}-${round}`));
  await installation.replace('api-2', version);
  for (const slot of OTHERS) await installation.replace(slot, version);
}

export async function upgrade(stage: Stage): Promise<void> {
  const { versions, emails, faults, installation } = stage;
  const { earlier, present } = versions;
  if (stage.round === 1) {
    await emails.ask();
    await emails.untilReceived();
  }
  await migrateToPresent(stage);
  const meetsOtherJobs = earlier.jobs !== present.jobs;
  if (meetsOtherJobs) for (const fault of await findJobsOn(stage, 'after the migration')) faults.add(fault);
  await emails.ask();
  if (meetsOtherJobs && (await emails.countWaiting()) === 0)
    faults.add('an email that was asked for with jobs off does not wait');
  await replaceAll(stage, present);
  await emails.untilReceived();
  if ((await emails.countWaiting()) > 0) faults.add('emails still wait after the upgrade');
  const { notes } = await installation.health('worker-1');
  if (notes.length > 0) faults.add(`a worker of the present version says: ${notes.join('; ')}`);
}

/** Asks the present version whether the earlier one could run here, before anything is replaced. */
async function checkRollback({ site, versions }: Stage): Promise<string[]> {
  const { earlier, present, upgradedJobsFolder } = versions;
  const words = ['rollback', 'check', '--to', formatVersion(earlier.schema)];
  const check = (folder: string) => runOfVersion({ folder, program: 'cli', words }, site.settings.admin);
  // The second one is by a version whose history says that it has upgraded pg-boss, as this drill pretends.
  const [own, upgraded] = await Promise.all([check(present.folder), check(upgradedJobsFolder)]);
  const expected = earlier.jobs === present.jobs ? /supported/ : /would run with jobs off/;
  const code = earlier.jobs === present.jobs ? 0 : 1;
  const said = `${upgraded.out}${upgraded.error}`;
  return [
    ...(own.code === 0 ? [] : [`rollback check refuses: ${own.error}`]),
    ...(upgraded.code === code && expected.test(said) ? [] : [`rollback check beside newer job tables says: ${said}`]),
    ...(/needs version/.test(said) ? [`rollback check names a migration: ${said}`] : []),
  ];
}

/** What the earlier version's migration, which containers run at every start, and its commands do on the newer schema. */
async function tryEarlierPrograms(stage: Stage): Promise<string[]> {
  const { site, versions, shop } = stage;
  const read = async () => {
    const { rows } = await site.database.pool.query(
      `select (select max(version) from schema_migrations) as schema, v.version as jobs, q.name, q.policy, q.retry_limit
       from pgboss.version v, pgboss.queue q order by q.name`,
    );
    return JSON.stringify(rows);
  };
  const before = await read();
  const ran = await migrate(stage, versions.earlier);
  const faults = ran.code === 0 ? [] : [`the earlier version's migration ended with ${ran.code}: ${ran.error}`];
  if ((await read()) !== before) faults.push("the earlier version's migration has changed something");
  const commands = [
    ['store', 'list', '--merchant', shop.number],
    ['chain', 'status'],
    ['ledger', 'check'],
    ['audit', 'verify'],
  ];
  const answers = await Promise.allSettled(commands.map((words) => administer(site, versions.earlier, ...words)));
  for (const answer of answers)
    if (answer.status === 'rejected') faults.push(`a command of the earlier version failed: ${String(answer.reason)}`);
  return faults;
}

/** Waits until an invoice that was paid after the rollback has been delivered. */
async function untilNewPaymentArrives({ trade, site }: Stage): Promise<void> {
  const known = new Set(trade.paid);
  const isDelivered = () =>
    site.receiver.received.some(({ body, verified }) => {
      const { trans_id: transId, event } = JSON.parse(body) as { trans_id: string; event: string };
      return verified && event === 'invoice.completed' && trade.paid.has(transId) && !known.has(transId);
    });
  await waitUntil(isDelivered, {
    what: 'No payment is completed by the earlier version after the rollback.',
    pollMs: POLL_MS,
    timeoutMs: SOON_MS,
  });
}

/** Rolls back, and returns what failed. */
export async function rollBack(stage: Stage): Promise<string[]> {
  const { versions, emails } = stage;
  const { earlier, present } = versions;
  const wrong = await checkRollback(stage);
  await replaceAll(stage, earlier);
  wrong.push(...(await tryEarlierPrograms(stage)));
  await untilNewPaymentArrives(stage).catch((cause: unknown) => wrong.push(String(cause)));
  if (earlier.jobs === present.jobs) return wrong;
  wrong.push(...(await findJobsOn(stage, 'after the rollback')));
  const before = emails.received();
  await emails.ask();
  if ((await emails.countWaiting()) === 0) wrong.push('an email that was asked for after the rollback does not wait');
  if (emails.received() > before) wrong.push('an email was sent with jobs off');
  return wrong;
}

/**
 * Replaces both APIs by a version that does not drain, and back. Returns false when no such version runs on this schema
 * any more.
 */
export async function replaceUndrained(stage: Stage, undrained: Version): Promise<boolean> {
  const { installation, site, versions, faults } = stage;
  const words = ['rollback', 'check', '--to', formatVersion(undrained.schema)];
  const { error } = await runOfVersion({ folder: versions.present.folder, program: 'cli', words }, site.settings.admin);
  if (/needs version/.test(error)) return false;
  for (const slot of ['api-1', 'api-2'] as const) {
    await installation.replace(slot, undrained);
    await installation.replace(slot, versions.earlier);
  }
  if (!installation.disturbances.some(({ kind }) => kind === 'no drain')) faults.add('every version drained');
  return true;
}

/** A worker of the present version beside the earlier ones sends what waited while their jobs were off. */
export async function sendWaitingEmails({
  installation,
  versions,
  emails,
}: Stage): Promise<{ asked: number; lost: number }> {
  await installation.start('worker-3', versions.present);
  return emails.settle();
}
