import type pg from 'pg';

/**
 * Migrations that build or drop indexes of tables that are full: outside a transaction, so that writers go on meanwhile.
 * A file that says `concurrently` once holds nothing else. Every step can be repeated: one that was killed half-way left
 * an index that the server calls invalid, which is dropped and built again.
 */

export type IndexStep = { kind: 'create' | 'drop'; index: string; sql: string };

/** As long as the largest table may take; nobody waits for it but whoever migrates. */
const BUILD_TIMEOUT = '6h';
/** How soon the server notices that whoever migrates is dead: until then nobody else could go on. */
const DEAD_CLIENT_CHECK = '1s';

const COMMENT = /--.*$/gm;
const CREATE = /^create (?:unique )?index concurrently ([a-z][a-z0-9_]*) on /;
const DROP = /^drop index concurrently if exists ([a-z][a-z0-9_]*)$/;

/** Pure: the steps of a file that runs outside a transaction; undefined for any other. */
export function readIndexSteps(sql: string): IndexStep[] | undefined {
  const statements = sql
    .replace(COMMENT, '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');
  if (!statements.some((statement) => /\bconcurrently\b/i.test(statement))) return undefined;
  return statements.map((statement) => {
    const created = CREATE.exec(statement)?.[1];
    if (created !== undefined) return { kind: 'create', index: created, sql: statement };
    const dropped = DROP.exec(statement)?.[1];
    if (dropped !== undefined) return { kind: 'drop', index: dropped, sql: statement };
    throw new Error(`A migration that builds indexes concurrently holds nothing else, but found: ${statement}`);
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

export async function buildIndexes(
  client: pg.ClientBase,
  steps: readonly IndexStep[],
  log: (line: string) => void,
): Promise<void> {
  // A build waits for every transaction that is older than it. Nobody queues behind it, so it may wait long.
  await client.query(`set lock_timeout = 0; set statement_timeout = '${BUILD_TIMEOUT}';
    set client_connection_check_interval = '${DEAD_CLIENT_CHECK}'`);
  for (const step of steps) {
    const validity = step.kind === 'create' ? await readValidity(client, step.index) : 'absent';
    if (validity === 'valid') continue;
    if (validity === 'invalid') {
      log(`index ${step.index} was left unfinished and is built again`);
      await client.query(`drop index concurrently ${step.index}`);
    }
    await client.query(step.sql);
    log(`${step.kind === 'create' ? 'built' : 'dropped'} index ${step.index}`);
  }
  await client.query('reset lock_timeout; reset statement_timeout; reset client_connection_check_interval');
}
