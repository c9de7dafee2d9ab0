import { DAY_MS } from '@counterfoil/core/duration.ts';
import { readChannelFacts } from '../alerts/alert-sql.ts';
import { countUnacknowledged } from '../audit/alarm-sql.ts';
import { isRead } from '../chains/reading.ts';
import { readConfirmation } from '../confirmations/confirmation-sql.ts';
import type { Database } from '../db/database.ts';
import { isDatabaseError } from '../db/database.ts';
import { measureOffsetMs, MAX_SKEW_AT_START_MS } from '../db/clock-skew.ts';
import { readSchemaState } from '../db/migrate.ts';
import { periodOf } from '../db/partition-sql.ts';
import { readSessionFacts } from '../db/require-own-session.ts';
import { findRoleFaults, readRoleFacts } from '../db/require-role.ts';
import type { ProcessRole } from '../db/role.ts';
import { roleName } from '../db/role.ts';
import type { Clock } from '../lib/clock.ts';
import { readLivingHolders } from '../secrets/ring-holder-sql.ts';
import {
  findUnpartitioned,
  hasPlan,
  listAcceptedNetworks,
  listConnected,
  readConnectionFacts,
  readReadingFacts,
} from './doctor-sql.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';
import { SERVER_EXAMINATIONS } from './examine-server.ts';
import { judgeAlarms } from './judge-alarms.ts';
import { judgeAlerts } from './judge-alerts.ts';
import { judgeConfirmation } from './judge-confirmation.ts';
import { judgeConnections } from './judge-connections.ts';
import { judgeUnreachable } from './judge-unreachable.ts';

type DatabaseExamination = {
  database: Database;
  clock: Clock;
  /** The role that the process should have. */
  role: ProcessRole;
  connections: number;
  /** Connections of all processes at full scale, if configured. */
  connectionBudget?: number | undefined;
  followed: readonly string[];
  /** Networks on which live stores can be paid only with a configured node. */
  chainNetworks: readonly string[];
  storePlan: string | undefined;
  /** Whether the API is asked at its public address, so that it needs no connection now. */
  isApiAsked: boolean;
};

/** A missing partition this near is dangerous. */
const MONTHS_AHEAD = 1;
/** How long a failed alert is a finding, where none was sent since. */
const ALERT_DAYS = 3;
/** Kinds of processes; each connects under the name of its kind. */
const PROCESSES = ['api', 'worker', 'dashboard'];
const NAME_PREFIX = 'counterfoil-';
/** SQLSTATEs of a lock time-out and of a missing right. */
const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';

async function examineClock({ database, clock }: DatabaseExamination): Promise<Finding> {
  const offsetMs = await measureOffsetMs(database.pool, clock);
  return Math.abs(offsetMs) > MAX_SKEW_AT_START_MS
    ? wrong(
        'clock',
        `This machine's clock is ${offsetMs} ms away from the database's; processes refuse to start beyond ${MAX_SKEW_AT_START_MS} ms.`,
        'Run NTP (chrony, systemd-timesyncd) on both hosts.',
      )
    : fine('clock', `This machine and the database agree within ${Math.abs(offsetMs)} ms.`);
}

async function examineSchema({ database }: DatabaseExamination): Promise<Finding> {
  const state = await readSchemaState(database.pool);
  if (state === 'current') return fine('schema', 'The schema is that of this version.');
  if (state === 'compatible') return fine('schema', 'The schema is that of a newer version, and this one supports it.');
  if (state === 'behind')
    return wrong(
      'schema',
      'The schema is older than this version.',
      'Run the migration of this version; see docs/operations/install.md#start-stop-and-upgrade.',
    );
  return state === 'newer'
    ? wrong('schema', 'A newer version migrated the database.', 'Install the newer version on this host too.')
    : wrong('schema', 'A migration was changed after it was applied.', 'Install an unchanged release.');
}

async function examineRole({ database, role }: DatabaseExamination): Promise<Finding> {
  const facts = await readRoleFacts(database.pool, role);
  const faults = findRoleFaults(role, facts);
  return faults.length === 0
    ? fine('database role', `Connected as ${facts.user}.`)
    : wrong(
        'database role',
        `${facts.user} does not fit ${roleName(role)}: ${faults.join('; ')}.`,
        'Run main-migrate --roles as a superuser and connect as the role of the process; see docs/operations/install.md#database-roles.',
      );
}

async function examinePooler({ database }: DatabaseExamination): Promise<Finding> {
  const { pooled, shared } = await readSessionFacts(database.pool);
  if (shared)
    return wrong(
      'pooler',
      'Connections share sessions of the database: a pooler in transaction or statement mode is in front of it, and processes do not start.',
      'Set the pooler to session mode, or connect directly; see docs/operations/install.md#a-pooler.',
    );
  return fine(
    'pooler',
    pooled
      ? 'A pooler in session mode is in front of the database: each connection is one session.'
      : 'A connection is one session of the database.',
  );
}

async function examinePartitions({ database, clock }: DatabaseExamination): Promise<Finding> {
  const now = new Date(clock.nowMs());
  const months = Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) =>
    periodOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1))),
  );
  const missing = (await Promise.all(months.map((month) => findUnpartitioned(database.pool, month)))).flat();
  return missing.length === 0
    ? fine('partitions', 'The partitions of this month and the next are there.')
    : wrong(
        'partitions',
        `Partitions are missing: ${[...new Set(missing)].join(', ')}. From the first of the month nothing could be written there.`,
        'Start a worker, which makes them within a minute, or run the migration.',
      );
}

async function examineReading({ database, clock, chainNetworks, followed }: DatabaseExamination): Promise<Finding[]> {
  const [accepted, facts] = [await listAcceptedNetworks(database.pool), await readReadingFacts(database.pool)];
  const needed = accepted.filter((network) => chainNetworks.includes(network));
  const read = facts.filter((fact) => isRead(fact, clock)).map(({ network }) => network);
  const known = new Set([...facts.map(({ network }) => network), ...needed]);
  const unread = [...known].filter((network) => !read.includes(network));
  const nodeless = needed.filter((network) => !followed.includes(network));
  return [
    ...(nodeless.length > 0
      ? [
          wrong(
            'networks',
            `Live stores take money on ${nodeless.join(', ')}, and no node is configured here.`,
            `Set ${nodeless.map((network) => `COUNTERFOIL_RPC_${network}`).join(', ')} for workers and this command line.`,
          ),
        ]
      : []),
    unread.length > 0
      ? wrong(
          'workers',
          `${unread.join(', ')} has not been read for two minutes: payments there are not seen, and the page does not offer it.`,
          'Look at the log of the workers, and at the nodes below; chain status says how far each network is read.',
        )
      : fine('workers', `${read.length} networks are being read.`),
  ];
}

/**
 * Checks that each kind of process runs. Idle processes close their connections, so other signs count too: workers and
 * the dashboard's server report their keys every few seconds, and the API is asked at its address.
 */
async function examineProcesses({ database, isApiAsked }: DatabaseExamination): Promise<Finding> {
  const names = PROCESSES.map((kind) => `${NAME_PREFIX}${kind}`);
  const connected = await listConnected(database.pool, names);
  const reported = (await readLivingHolders(database.queries)).map(({ kind }) => `${NAME_PREFIX}${kind}`);
  const seen = new Set([...connected, ...reported, ...(isApiAsked ? [`${NAME_PREFIX}api`] : [])]);
  const missing = names.filter((name) => !seen.has(name));
  return missing.length === 0
    ? fine('processes', 'A worker and the dashboard run, and the API runs or is asked at its address.')
    : doubtful(
        'processes',
        `No sign of life in the database: ${missing.join(', ')}.`,
        'Start them, or leave them out on purpose. Set COUNTERFOIL_CHECKOUT_URL to have an idle API asked at its address.',
      );
}

async function examineConnections({ database, connections, connectionBudget }: DatabaseExamination): Promise<Finding> {
  const facts = await readConnectionFacts(database.pool);
  const holders = await readLivingHolders(database.queries);
  const countOf = (wanted: string) => holders.filter(({ kind }) => kind === wanted).length;
  return judgeConnections(facts, {
    perProcess: connections,
    budget: connectionBudget,
    workers: countOf('worker'),
    dashboards: countOf('dashboard'),
  });
}

async function examinePlan({ database, storePlan }: DatabaseExamination): Promise<Finding[]> {
  if (storePlan === undefined || (await hasPlan(database.pool, storePlan))) return [];
  return [
    wrong(
      'store plan',
      `COUNTERFOIL_STORE_PLAN names the plan ${storePlan}, which does not exist: members cannot create stores.`,
      'Create it with plan create, or name one that exists.',
    ),
  ];
}

const LOCKED =
  'Processes wait as well: check pg_stat_activity and pg_locks for the holder of the lock; a migration ends automatically.';
const NOT_ALLOWED = 'The role lacks a right: run main-migrate --roles; see docs/operations/install.md#database-roles.';

/** The finding for facts that the database did not return. */
function unexamined(check: string, cause: unknown): Finding {
  const says = `It could not be examined: ${reasonOf(cause)}`;
  if (isDatabaseError(cause, LOCK_NOT_AVAILABLE)) return wrong(check, says, LOCKED);
  if (isDatabaseError(cause, INSUFFICIENT_PRIVILEGE)) return wrong(check, says, NOT_ALLOWED);
  return wrong(
    check,
    says,
    "Read the database server's log, fix what the other findings say, and run the doctor again.",
  );
}

type Examinations<T> = Record<string, (of: T) => Promise<Finding | Finding[]>>;

const EXAMINATIONS: Examinations<DatabaseExamination> = {
  clock: examineClock,
  'database role': examineRole,
  pooler: examinePooler,
  connections: examineConnections,
  partitions: examinePartitions,
  workers: examineReading,
  processes: examineProcesses,
  'store plan': examinePlan,
  confirmation: async ({ database }) => judgeConfirmation(await readConfirmation(database.queries)),
  alarms: async ({ database }) => judgeAlarms(await countUnacknowledged(database.queries)),
  alerts: async ({ database, clock }) =>
    judgeAlerts(await readChannelFacts(database.queries, new Date(clock.nowMs() - ALERT_DAYS * DAY_MS))),
};

async function examineEach<T>(examinations: Examinations<T>, of: T): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(examinations).map(([check, examine]) =>
      examine(of).catch((cause: unknown) => unexamined(check, cause)),
    ),
  );
  return found.flat();
}

/** With another schema version only the server is examined, because nothing else could be read. */
export async function examineDatabase(examination: DatabaseExamination): Promise<Finding[]> {
  let schema: Finding;
  try {
    schema = await examineSchema(examination);
  } catch (cause) {
    if (isDatabaseError(cause, LOCK_NOT_AVAILABLE)) return [unexamined('schema', cause)];
    return [judgeUnreachable(cause)];
  }
  const server = await examineEach(SERVER_EXAMINATIONS, examination.database.pool);
  if (schema.state === 'wrong') return [schema, await examineClock(examination), ...server];
  return [schema, ...server, ...(await examineEach(EXAMINATIONS, examination))];
}
