import type pg from 'pg';

type Send = (...given: unknown[]) => unknown;

/** Tells of every statement that goes out on a connection of the pool, `begin` and `commit` included. */
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
