import type pg from 'pg';
import { expectLife } from '../lib/watchdog.ts';

/**
 * Thrown when the connection to the database is dead without having been closed. Whether the statement, even a commit,
 * took effect is unknown.
 */
class SilentDatabaseError extends Error {
  constructor(timeoutMs: number) {
    super(`The database said nothing for ${timeoutMs} ms. Whether the statement took effect is unknown.`);
    this.name = 'SilentDatabaseError';
  }
}

type Send = (...given: unknown[]) => unknown;
type Callback = (...outcome: unknown[]) => void;

/**
 * Destroys a connection's socket: the driver then fails every waiting statement, and the pool takes no failed
 * connection back.
 */
function cut(client: pg.PoolClient, cause?: Error): void {
  const { connection } = client as unknown as { connection: { stream: { destroy: (cause?: Error) => void } } };
  connection.stream.destroy(cause);
}

async function cutOneIdle(pool: pg.Pool): Promise<void> {
  const client = await pool.connect().catch(() => undefined);
  if (!client) return;
  cut(client);
  client.release(true);
}

/**
 * Closes the idle connections of the pool, which use the same network route: otherwise one caller after another would
 * wait in vain.
 */
function cutIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) void cutOneIdle(pool);
}

/**
 * Ends a connection on which a statement gets no answer in time. The server's own limits do not help when its host is
 * lost or the network route is cut silently. Such a connection is never used again, and every further statement on it
 * fails.
 */
export function guardConnection(pool: pg.Pool, client: pg.PoolClient, timeoutMs: number): void {
  const send = client.query.bind(client) as unknown as Send;
  let lost: SilentDatabaseError | undefined;

  const giveUp = () => {
    lost = new SilentDatabaseError(timeoutMs);
    cut(client, lost);
    cutIdle(pool);
  };

  const query: Send = (...given) => {
    const timer = setTimeout(giveUp, timeoutMs);
    const showLife = expectLife();
    const end = () => {
      clearTimeout(timer);
      showLife();
    };
    const callback = given.at(-1);
    if (typeof callback !== 'function')
      return (lost ? Promise.reject(lost) : (send(...given) as Promise<unknown>)).finally(end);
    return send(...given.slice(0, -1), (...outcome: unknown[]) => {
      end();
      (callback as Callback)(...outcome);
    });
  };
  Object.assign(client, { query });
}
