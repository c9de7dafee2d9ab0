import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { giveLeases, readsNetwork } from '../../rig/processes/worker-fleet.ts';
import type { World } from './world.ts';
import { sideOf, waitUntil } from './world.ts';

/**
 * Pauses a reader in the middle of a step until its lease has run out, and resumes it beside the worker that took over.
 */

/** Longest time from the end of a worker's lease until another worker takes the lease. */
const HEIR_MS = 8_000;
const LEASE_MS = 15_000;
const READING_MS = 40_000;
const STEP_MS = 1_000;
const MAX_TRIES = 5;
/** Interval at which the calls to the node are checked for the reader's question. */
const WATCH_MS = 1;

async function untilAsked(world: World, network: string): Promise<void> {
  const side = sideOf(world, network);
  const before = side.reads();
  const deadline = performance.now() + READING_MS;
  while (side.reads() === before) {
    if (performance.now() > deadline) throw new Error(`Nobody reads ${network}.`);
    await world.pause(WATCH_MS);
  }
}

/** Stops the worker after it asked a provider for a range of blocks and before it can commit the answer. */
async function stopBeforeCommit(world: World, worker: WorkerProcess, network: string): Promise<void> {
  await untilAsked(world, network);
  worker.child.kill('SIGSTOP');
}

/**
 * Pauses the worker inside its transaction with its locks held: a lock held by the drill keeps the worker there until
 * the worker is paused.
 */
async function stopInCommit(world: World, worker: WorkerProcess, network: string): Promise<void> {
  const client = await world.drill.database.pool.connect();
  try {
    await client.query('begin');
    // The drill's own transaction may be idle until a worker commits, longer than the usual idle limit allows.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query('select from chain_coverage where network = $1 for update', [network]);
    const held = await waitUntil(world, READING_MS, async () => {
      const { rows } = await world.drill.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and application_name = 'counterfoil-worker' and query like '%chain_coverage%'`,
      );
      return rows.length > 0;
    });
    if (!held) throw new Error(`Nobody commits on ${network}.`);
    worker.child.kill('SIGSTOP');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

export type Sleep = { network: string; where: 'before its commit' | 'in its commit'; ms: number };

/**
 * Makes the worker the reader of a network and pauses the worker at the given point; tries again when another worker
 * became the reader in between.
 */
async function putToSleep(world: World, worker: WorkerProcess, { network, where }: Sleep): Promise<void> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    await giveLeases(world.drill.database, worker, [network]);
    // Waits until the previous reader of the network has finished its step: otherwise that reader's calls or commit
    // could be taken for the worker's.
    await world.pause(STEP_MS);
    if (where === 'in its commit') await stopInCommit(world, worker, network);
    else await stopBeforeCommit(world, worker, network);
    if (await readsNetwork(world.drill.database, worker, network)) return;
    worker.child.kill('SIGCONT');
  }
  throw new Error(`No reader of ${network} could be stopped ${where}.`);
}

export async function drillPausedWorker(world: World, worker: WorkerProcess, sleep: Sleep): Promise<void> {
  const { database } = world.drill;
  const { network, where } = sleep;
  await putToSleep(world, worker, sleep);
  const started = performance.now();
  world.say(`a reader of ${network} is stopped ${where}`);
  const inherited = await waitUntil(
    world,
    LEASE_MS + HEIR_MS,
    async () => !(await readsNetwork(database, worker, network)),
  );
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (inherited) world.say(`another took ${network} over after ${seconds} s`);
  else world.faults.add(`nobody took ${network} over from a reader stopped ${where} within ${seconds} s`);
  await world.pause(Math.max(0, sleep.ms - (performance.now() - started)));
  worker.child.kill('SIGCONT');
  world.say(`the stopped reader of ${network} goes on`);
}
