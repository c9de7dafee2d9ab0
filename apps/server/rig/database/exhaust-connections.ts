import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { roleName, PROCESS_ROLES } from '../../src/db/role.ts';

/** A stranger who opens every connection that a PostgreSQL server has, and takes those of our processes. */

type Exhaustion = {
  /** Connections that the stranger holds. */
  held(): number;
  /** How often the server refused the stranger another connection. */
  refused(): number;
  release(): Promise<void>;
};

const TOO_MANY_CONNECTIONS = '53300';
const PAUSE_MS = 25;
const END_OURS = `select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1)`;
const OURS = PROCESS_ROLES.map(roleName);

export function exhaustConnections(adminUrl: string): Exhaustion {
  const clients: pg.Client[] = [];
  const released = new AbortController();
  let refused = 0;

  async function connect(): Promise<boolean> {
    const client = new pg.Client({ connectionString: adminUrl });
    client.on('error', () => {});
    try {
      await client.connect();
      clients.push(client);
      return true;
    } catch (cause) {
      if (cause instanceof pg.DatabaseError && cause.code === TOO_MANY_CONNECTIONS) refused += 1;
      return false;
    }
  }

  const exhausting = (async () => {
    while (!released.signal.aborted) {
      if (await connect()) continue;
      await clients[0]?.query(END_OURS, [OURS]).catch(() => {});
      await wait(PAUSE_MS);
    }
  })();

  return {
    held: () => clients.length,
    refused: () => refused,
    release: async () => {
      released.abort();
      await exhausting;
      await Promise.all(clients.map((client) => client.end().catch(() => {})));
    },
  };
}
