import type pg from 'pg';
import type { Logger } from 'pino';
import { proveCommit } from '../doctor/server-sql.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outbound } from '../lib/outbound-http.ts';
import { showLife } from '../lib/watchdog.ts';

/** The worker's heartbeat stops when it hangs, ends, or cannot commit. */

type HeartbeatContext = {
  url: string;
  clock: Clock;
  pool: pg.Pool;
  outbound: Pick<Outbound, 'get'>;
  hanging: () => readonly string[];
  log: Logger;
  /** When the next heartbeat is due; written by this file alone. */
  readonly memory: { dueMs: number };
};

const EVERY_MS = 60_000;
/** Pause after a heartbeat that was left out: one late answer must not look like a minute of silence. */
const AGAIN_MS = 10_000;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
const HEADERS = { 'user-agent': 'Counterfoil-Heartbeat/1' } as const;

/**
 * Sends a heartbeat once a minute. There is none while a loop hangs, and none without a commit that the database has
 * just confirmed; it is sent as soon as both are right again.
 */
export async function sendHeartbeat(context: HeartbeatContext): Promise<void> {
  const { url, clock, pool, outbound, hanging, log, memory } = context;
  const nowMs = clock.nowMs();
  if (nowMs < memory.dueMs) return;
  memory.dueMs = nowMs + AGAIN_MS;
  const hasCommitted = await proveCommit(pool);
  const loops = hanging();
  if (!hasCommitted || loops.length > 0) {
    log.error({ hasCommitted, loops }, 'the heartbeat was left out');
    return;
  }
  memory.dueMs = nowMs + EVERY_MS;
  const result = await outbound.get(url, {
    headers: HEADERS,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  showLife();
  if ('error' in result) log.warn({ reason: `${result.error}: ${result.message}` }, 'the heartbeat URL did not answer');
  else if (result.status >= 400) log.warn({ status: result.status }, 'the heartbeat URL refused the heartbeat');
}
