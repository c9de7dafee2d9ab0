import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { steadyClock } from '../lib/clock.ts';
import { tlsRefusal } from './tls-fault.ts';

const WAIT_MS = 60_000;
const PAUSE_MS = 500;
/** SQLSTATEs of a server that is starting, stopping or recovering, and of one without a free connection. */
const NOT_YET = /^(?:57P|53300)/;

/** Whether the database may accept a connection later. A wrong password or name is refused by a server that is there. */
function isNotYet(cause: unknown): boolean {
  return !(cause instanceof pg.DatabaseError) || NOT_YET.test(cause.code ?? '');
}

async function connectOnce({ options }: pg.Pool): Promise<void> {
  const client = new pg.Client(options);
  // A lost connection also fails what is under way, which reports the error.
  client.on('error', () => {});
  try {
    await client.connect();
  } finally {
    await client.end().catch(() => {});
  }
}

type Waiting = { clock: Clock; rest: (ms: number) => Promise<void> };
const REAL: Waiting = { clock: steadyClock, rest: (ms) => wait(ms) };

/**
 * Waits until the database accepts a connection, for a minute at most, and then throws the last failure: after a restart
 * of the host or a failover, this process may start before the database. What TLS forbids is refused immediately.
 */
export async function awaitDatabase(
  pool: pg.Pool,
  log: Pick<Logger, 'warn'>,
  { clock, rest }: Waiting = REAL,
): Promise<void> {
  const untilMs = clock.nowMs() + WAIT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      await connectOnce(pool);
      return;
    } catch (cause) {
      const refusal = tlsRefusal(cause);
      if (refusal) throw refusal;
      if (!isNotYet(cause) || clock.nowMs() >= untilMs) throw cause;
      if (tries === 1) log.warn({ err: cause, waitSeconds: WAIT_MS / 1_000 }, 'waiting for the database');
      await rest(PAUSE_MS);
    }
  }
}
