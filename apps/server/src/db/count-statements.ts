import type pg from 'pg';

type Send = (...given: unknown[]) => unknown;

/** Calls `onStatement` for every statement that is sent on a connection of the pool, including `begin` and `commit`. */
export function countStatements(pool: pg.Pool, onStatement: () => void): void {
  const counted = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const send = client.query.bind(client) as Send;
    const query: Send = (...given) => {
      onStatement();
      return send(...given);
    };
    Object.assign(client, { query });
  });
}
