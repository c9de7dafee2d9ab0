import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import { preparingPool } from './preparing-pool.ts';
import type { Tables } from './tables.ts';

/**
 * Whose rows a request may see: those of the merchants of a person, and of the merchant that a link is about. A request
 * without both sees no merchant's rows.
 */
type RowScope = { personId?: bigint | undefined; linkHash?: Buffer | undefined };

const SET_SCOPE = {
  name: 'set-row-scope',
  text: `select set_config('counterfoil.person', $1, false), set_config('counterfoil.link', $2, false)`,
};

/** The scope that each connection was last given. */
const given = new WeakMap<object, string>();

async function setScope(client: pg.PoolClient, { personId, linkHash }: RowScope): Promise<void> {
  const values = [personId === undefined ? '' : String(personId), linkHash?.toString('hex') ?? ''];
  const scope = values.join(' ');
  if (given.get(client) === scope) return;
  given.delete(client);
  await client.query({ ...SET_SCOPE, values });
  given.set(client, scope);
}

/**
 * Returns the database as a request may use it: every connection is told the request's scope before it is used, and row
 * security (row-security.sql) keeps all other rows from it. `prepared` as of the database that is given.
 */
export function actAs({ pool }: Database, scope: RowScope, { prepared }: { prepared: boolean }): Database {
  const connect = async () => {
    const client = await pool.connect();
    try {
      await setScope(client, scope);
    } catch (cause) {
      client.release(true);
      throw cause;
    }
    return client;
  };
  const scoped = { options: pool.options, connect, end: () => pool.end() };
  return {
    queries: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: prepared ? preparingPool(scoped) : scoped }) }),
    get pool(): pg.Pool {
      throw new Error('Connections of the pool have no scope of rows.');
    },
  };
}
