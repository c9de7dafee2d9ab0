import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { guardConnection } from './guard-connection.ts';
import { preparingPool } from './preparing-pool.ts';
import { ROLE_SETTINGS } from './role.ts';
import type { SessionSettings } from './role.ts';
import type { Tables } from './tables.ts';

/**
 * The database: `queries` builds ordinary statements; `pool` runs the few performance-critical statements that are
 * written by hand.
 */
export type Database = { queries: Kysely<Tables>; pool: pg.Pool };
export type Queries = Kysely<Tables>;

type DatabaseOptions = {
  url: string;
  connections: number;
  name: string;
  /**
   * Whether the connection is for commands that read whole tables: the planner then chooses its own plans, and
   * statements may take long.
   */
  reports?: boolean;
  /**
   * Whether the connecting role already has its session settings; otherwise they are sent, for example for an
   * administrator.
   */
  settingsOnRole?: boolean;
  /** How long a query waits for a free connection of the pool; two seconds by default. */
  waitMs?: number;
  /** Statement timeout on the server; for tests. */
  statementTimeoutMs?: number;
  /** Longest wait for a lock. It is set after connecting: poolers refuse most settings that a connection starts with. */
  lockTimeoutMs?: number;
  /** Time without an answer after which a connection is given up, where it differs from the usual. */
  answerTimeoutMs?: number;
};

const WAIT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 3_000;
const REPORT_TIMEOUT_MS = 600_000;
const IDLE_TIMEOUT_MS = 30_000;
/**
 * Silence, in multiples of the statement timeout, after which a connection is given up: the server ends a statement at
 * the timeout and says so, so after twice as long no answer will come.
 */
const SILENCE_FACTOR = 2;
/** Idle time after which TCP checks whether the other end is still there. */
const KEEP_ALIVE_MS = 10_000;

const asOptions = (settings: SessionSettings) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Session settings of an API or worker process, sent by connections whose role does not have them already. */
export const SESSION_SETTINGS = asOptions(ROLE_SETTINGS.worker);

// int8, alone and in arrays, is parsed as bigint and numeric stays text, because no float may touch money.
const INT8 = 20;
const INT8_ARRAY = 1_016;
const OF_ARRAY = /-?\d+/g;
const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [INT8_ARRAY, (text) => (text.match(OF_ARRAY) ?? []).map(BigInt)],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export function openDatabase(options: DatabaseOptions, onConnectionError: (cause: Error) => void): Database {
  const timeoutMs = options.statementTimeoutMs ?? (options.reports ? REPORT_TIMEOUT_MS : STATEMENT_TIMEOUT_MS);
  const { lockTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: options.waitMs ?? WAIT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: options.name,
    types,
    ...(options.statementTimeoutMs !== undefined && { statement_timeout: options.statementTimeoutMs }),
    ...(!options.settingsOnRole && {
      options: options.reports ? asOptions(ROLE_SETTINGS.admin) : SESSION_SETTINGS,
    }),
    ...(lockTimeoutMs !== undefined && {
      // A connection answers in order, so this comes before the first statement; one that is lost fails that one too.
      onConnect: (client: pg.ClientBase) => {
        client.query(`set lock_timeout = ${lockTimeoutMs}`).catch(() => {});
      },
    }),
  });
  pool.on('connect', (client) => {
    // The pool listens for errors only while a connection is idle; without this listener a connection that dies in use
    // would end the process.
    client.on('error', onConnectionError);
    guardConnection(pool, client, options.answerTimeoutMs ?? timeoutMs * SILENCE_FACTOR);
  });
  pool.on('error', () => {});
  const builderPool = options.reports ? pool : preparingPool(pool);
  return { pool, queries: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: builderPool }) }) };
}

/** A statement that the server plans once per connection. */
export type Prepared = { name: string; text: string };

/** SQLSTATE classes by which the server says that the connection ends: shut down, terminated, or lost. */
const CONNECTION_LOST = /^(?:57P|08)/;

/**
 * Runs a prepared statement, and keeps the connection when the database refuses the statement: pool.query would close
 * the connection and lose its plans.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: Prepared,
  values: unknown[],
): Promise<Row[]> {
  const client = await pool.connect();
  let broken = false;
  try {
    const result = await client.query<Row>({ name: statement.name, text: statement.text, values });
    return result.rows;
  } catch (cause) {
    broken = !(cause instanceof pg.DatabaseError) || CONNECTION_LOST.test(cause.code ?? '');
    throw cause;
  } finally {
    client.release(broken);
  }
}

/**
 * Closes the pool directly: the query builder closes it only if the builder was used, and idle connections keep the
 * process alive.
 */
export async function closeDatabase(database: Database): Promise<void> {
  await database.pool.end();
}

const INTEGRITY_CLASS = '23';
const CONFLICT_CLASS = '40';

/**
 * Whether the server refused a statement (a constraint, a deadlock): nothing of the statement took effect, and the
 * server still answers.
 */
export function isRefusal(cause: unknown, constraint?: string): boolean {
  if (!(cause instanceof pg.DatabaseError)) return false;
  const refused = [INTEGRITY_CLASS, CONFLICT_CLASS].includes(cause.code?.slice(0, 2) ?? '');
  return refused && (constraint === undefined || cause.constraint === constraint);
}

export function isDatabaseError(cause: unknown, code: string): cause is pg.DatabaseError {
  return cause instanceof pg.DatabaseError && cause.code === code;
}
