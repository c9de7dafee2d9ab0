import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/**
 * A pool that prepares the statements of the query builder: they are planned once per connection, and arrays are sent
 * as text.
 */

/**
 * The most statements that are prepared. Their texts are constants; a statement whose text is built from data must not
 * fill a connection with plans.
 */
const MAX_NAMED = 500;

/** Statements with `*` are not prepared: their plans fail for ever once a migration adds a column. */
const ALL_COLUMNS = /(?:select|returning) \*/i;

const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const present = names.get(text);
  if (present !== undefined) return present;
  if (names.size >= MAX_NAMED || ALL_COLUMNS.test(text)) return undefined;
  const name = createHash('sha256').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

const SPECIAL = /["\\]/g;
/**
 * Characters that JSON escapes in another way than the server reads them: control characters, and halves of surrogate
 * pairs.
 */
const OTHERWISE_IN_JSON = /[^\u0020-\ud7ff\ue000-\uffff]/;

/**
 * Quotes an array element. The server and JSON quote in the same way except for a few characters, and JSON.stringify is
 * the fastest way to quote long texts.
 */
function quote(text: string): string {
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`;
  if (!OTHERWISE_IN_JSON.test(text)) return JSON.stringify(text);
  return `"${text.replace(SPECIAL, (character) => `\\${character}`)}"`;
}

/**
 * Writes an array as text that the server reads. The driver does the same element by element, at several times the
 * cost.
 */
export function arrayText(values: readonly unknown[]): unknown {
  const parts: string[] = [];
  for (const value of values) {
    if (typeof value === 'string') parts.push(quote(value));
    else if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
      parts.push(String(value));
    else if (value === null || value === undefined) parts.push('NULL');
    else return values;
  }
  return `{${parts.join(',')}}`;
}

function preparing(client: pg.PoolClient): PostgresPoolClient {
  const query = (text: string, given: readonly unknown[]) => {
    const values = given.map((value) => (Array.isArray(value) ? arrayText(value) : value));
    // Statements without values, such as begin and commit, need no plan.
    const name = values.length > 0 ? nameOf(text) : undefined;
    return name === undefined ? client.query(text, values) : client.query({ name, text, values });
  };
  return Object.assign(Object.create(client) as PostgresPoolClient, { query });
}

type ConnectionPool = Pick<pg.Pool, 'options' | 'end'> & { connect: () => Promise<pg.PoolClient> };

/** The pool as the query builder sees it. */
export function preparingPool(pool: ConnectionPool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const present = known.get(client) ?? preparing(client);
      known.set(client, present);
      return present;
    },
    end: () => pool.end(),
  };
}
