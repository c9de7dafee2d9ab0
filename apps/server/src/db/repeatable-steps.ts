import type pg from 'pg';

/**
 * Steps of migrations that build or drop indexes of full tables, outside a transaction so that writers are not blocked.
 * A file that says `concurrently` anywhere may hold only steps that can be repeated. The server marks a half-built
 * index as invalid: such an index is dropped and built again.
 */

type Step = { sql: string; /** The index that the step builds. */ builds?: string };

/** Time limit for building the index of the largest table; only the migration waits for it. */
const BUILD_TIMEOUT = '6h';
/** How soon the server notices that the migrating client is dead: until then no other process can migrate. */
const DEAD_CLIENT_CHECK = '1s';
/** Lock timeout for adding a column: other statements queue behind the lock that the step waits for. */
const COLUMN_LOCK_TIMEOUT = '5s';

const COMMENT = /^\s*--.*$/gm;
const CREATE_INDEX = /^create (?:unique )?index concurrently ([a-z][a-z0-9_]*) on [^;]+$/;
const OTHERS = [
  /^drop index concurrently if exists [a-z][a-z0-9_]*$/,
  /^alter table [a-z][a-z0-9_]* add column if not exists [^,;]+$/,
  /^comment on (?:table|column) [a-z][a-z0-9_.]* is '/,
];

/** The steps of a file that runs outside a transaction; undefined for any other file. Pure. */
export function readSteps(sql: string): Step[] | undefined {
  const statements = sql
    .replace(COMMENT, '')
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');
  if (!statements.some((statement) => /^(?:create|drop|reindex)\b.*\bconcurrently\b/i.test(statement)))
    return undefined;
  return statements.map((statement) => {
    const builds = CREATE_INDEX.exec(statement)?.[1];
    if (builds !== undefined) return { sql: statement, builds };
    if (OTHERS.some((allowed) => allowed.test(statement))) return { sql: statement };
    throw new Error(`A migration that builds indexes concurrently holds only what can be repeated, not: ${statement}`);
  });
}

async function readValidity(client: pg.ClientBase, index: string): Promise<'valid' | 'invalid' | 'absent'> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  if (!rows[0]) return 'absent';
  return rows[0].valid ? 'valid' : 'invalid';
}

async function buildIndex(
  client: pg.ClientBase,
  index: string,
  sql: string,
  log: (line: string) => void,
): Promise<void> {
  const validity = await readValidity(client, index);
  if (validity === 'valid') return;
  if (validity === 'invalid') {
    log(`index ${index} was left unfinished and is built again`);
    await client.query(`drop index concurrently ${index}`);
  }
  await client.query(sql);
  log(`built index ${index}`);
}

export async function runSteps(
  client: pg.ClientBase,
  steps: readonly Step[],
  log: (line: string) => void,
): Promise<void> {
  await client.query(`set statement_timeout = '${BUILD_TIMEOUT}';
    set client_connection_check_interval = '${DEAD_CLIENT_CHECK}'`);
  for (const { sql, builds } of steps) {
    // An index build waits for every older transaction. No other statement queues behind the build, so it may wait
    // long.
    const concurrently = /\bconcurrently\b/.test(sql);
    await client.query(`set lock_timeout = '${concurrently ? 0 : COLUMN_LOCK_TIMEOUT}'`);
    if (builds === undefined) await client.query(sql);
    else await buildIndex(client, builds, sql, log);
  }
  await client.query('reset lock_timeout; reset statement_timeout; reset client_connection_check_interval');
}
