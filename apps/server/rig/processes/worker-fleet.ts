import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { isDatabaseError } from '../../src/db/database.ts';
import { NO_PRICES } from '../fakes/price-servers.ts';
import type { WorkerProcess } from './server-process.ts';
import { startWorker } from './server-process.ts';

/** Real worker processes, their deaths, and the leases of chains. */

export type Fleet = {
  start(): Promise<WorkerProcess>;
  /** Starts a worker that kills itself at a failpoint; undefined when it died before it could report that it works. */
  startKilledAt(failpoint: string): Promise<WorkerProcess | undefined>;
  /** Kills a worker as by `kill -9`, and waits until it is gone. */
  kill(worker: WorkerProcess): Promise<void>;
  alive(): WorkerProcess[];
  /** Logged errors of all workers so far, with their number. */
  complaints(): Map<string, number>;
  stop(): Promise<void>;
};

const STOP_TIMEOUT_MS = 5_000;

export const isAlive = (worker: WorkerProcess) => worker.child.exitCode === null && worker.child.signalCode === null;

export async function untilDead(worker: WorkerProcess, timeoutMs: number): Promise<boolean> {
  if (!isAlive(worker)) return true;
  const over = new AbortController();
  const ended = once(worker.child, 'exit', { signal: over.signal }).then(() => true);
  const late = wait(timeoutMs, false, { signal: over.signal });
  const died = await Promise.race([ended, late]);
  over.abort();
  await Promise.allSettled([ended, late]);
  return died;
}

async function stopOne(worker: WorkerProcess): Promise<void> {
  if (!isAlive(worker)) return;
  // A stopped process must run again to receive SIGTERM.
  worker.child.kill('SIGCONT');
  worker.child.kill('SIGTERM');
  if (await untilDead(worker, STOP_TIMEOUT_MS)) return;
  worker.child.kill('SIGKILL');
  await untilDead(worker, STOP_TIMEOUT_MS);
}

function complaintsOf(workers: Iterable<WorkerProcess>): Map<string, number> {
  const found = new Map<string, number>();
  for (const worker of workers) {
    for (const line of worker.output().match(/.*"level":(?:50|60).*/g) ?? []) {
      const { loop = '', msg = '', err } = JSON.parse(line) as { loop?: string; msg?: string; err?: Error };
      const text = [loop, msg, err?.message].filter(Boolean).join(': ');
      found.set(text, (found.get(text) ?? 0) + 1);
    }
  }
  return found;
}

export function createFleet(databaseUrl: string, settings: Record<string, string>): Fleet {
  const workers = new Set<WorkerProcess>();
  const common = {
    COUNTERFOIL_LOG_LEVEL: 'error',
    COUNTERFOIL_DATABASE_CONNECTIONS: '12',
    COUNTERFOIL_DATABASE_WAIT_SECONDS: '2',
    ...NO_PRICES,
    ...settings,
  };
  const starting = new Set<Promise<WorkerProcess>>();
  async function start(more: Record<string, string> = {}): Promise<WorkerProcess> {
    const started = startWorker(databaseUrl, { ...common, ...more });
    starting.add(started);
    try {
      const worker = await started;
      workers.add(worker);
      return worker;
    } finally {
      starting.delete(started);
    }
  }
  return {
    start: () => start(),
    startKilledAt: (failpoint) =>
      start({ COUNTERFOIL_FAILPOINT: failpoint }).catch((cause: unknown) => {
        if (/exit code null/.test(String(cause))) return undefined;
        throw cause;
      }),
    kill: async (worker) => {
      worker.child.kill('SIGKILL');
      await untilDead(worker, STOP_TIMEOUT_MS);
    },
    alive: () => [...workers].filter(isAlive),
    complaints: () => complaintsOf(workers),
    stop: async () => {
      await Promise.allSettled(starting);
      await Promise.all([...workers].map(stopOne));
    },
  };
}

const ownerOf = (worker: WorkerProcess) => `${hostname()}:${worker.child.pid}`;
const LEASE_SECONDS = 15;

const STATEMENT_TIMEOUT = '57014';
const MAX_TRIES = 5;

/**
 * Updates chains, and tries again after a timeout of the SQL statement: a reader that is stopped in a commit keeps the
 * chain's row locked until the database ends its session. The rows are locked in order, so that two of these statements
 * never wait for each other.
 */
async function updateChains(database: Database, change: string, which: string, values: unknown[]): Promise<void> {
  const statement = `
    with found as materialized (select network from chains where ${which} order by network for update)
    update chains c set ${change} from found f where c.network = f.network`;
  for (let tries = 1; ; tries += 1) {
    try {
      await database.pool.query(statement, values);
      return;
    } catch (cause) {
      if (!isDatabaseError(cause, STATEMENT_TIMEOUT) || tries === MAX_TRIES) throw cause;
    }
  }
}

/** Gives the leases of these networks to a worker, as if the previous leases had run out. */
export async function giveLeases(database: Database, worker: WorkerProcess, networks: readonly string[]) {
  await updateChains(
    database,
    'lease_owner = $1, lease_until = now() + make_interval(secs => $2)',
    'network = any($3)',
    [ownerOf(worker), LEASE_SECONDS, networks],
  );
}

/** Ends the leases of dead workers. They would expire, but waiting each time would make the drill an hour long. */
export async function endLeases(database: Database, alive: readonly WorkerProcess[]): Promise<void> {
  await updateChains(database, 'lease_until = now()', 'not lease_owner = any($1)', [alive.map(ownerOf)]);
}

/**
 * Removes leases, so that several workers may read the same chain. Then only the cursor check of each commit separates
 * them.
 */
export async function dropLeases(database: Database, networks: readonly string[]): Promise<void> {
  await updateChains(database, 'lease_owner = null', 'network = any($1)', [networks]);
}

export async function readsNetwork(database: Database, worker: WorkerProcess, network: string): Promise<boolean> {
  const { rows } = await database.pool.query(`select from chains where network = $1 and lease_owner = $2`, [
    network,
    ownerOf(worker),
  ]);
  return rows.length > 0;
}

/** Ends all claims on followed accounts, as if expired: two readers then read the same account concurrently. */
export async function endClaims(database: Database): Promise<void> {
  await database.pool.query(
    `update followed_accounts set next_read_at = now() where (network, account) in (
       select network, account from followed_accounts where state <> 'idle' and next_read_at > now() + interval '5 seconds'
       for update skip locked)`,
  );
}
