import { openBrowser } from '../../rig/people/dashboard-site.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';
import { requestTopup } from '../../src/topups/request-topup.ts';
import { createInvoice } from './buy.ts';
import { acknowledgeAll } from './command.ts';
import type { Fault, Round } from './fault.ts';
import { sameDay } from './fault.ts';
import type { World } from './world.ts';

/** What an operator forgets or breaks: a top-up that no store takes, job tables of another version, a full disk. */

const POLL_MS = 200;
const MICRO_USD = 25_000_000n;

/** Asks for a top-up while no worker runs; before one does, the store for top-ups loses its purpose. */
export async function askForTopup({ database, store }: World): Promise<void> {
  const context = { database, clock: systemClock };
  const { ref } = await openStore(database, { ring: store.ring });
  await setStorePurpose(context, TESTER, { store: ref, purpose: 'topup' });
  const returnUrl = 'https://dashboard.example/m/ACC-X/balance/MID-X';
  await requestTopup(context, TESTER, { store: store.ref, microUsd: MICRO_USD, returnUrl });
  await setStorePurpose(context, TESTER, { store: ref, purpose: null });
}

const isGivenUp = async (database: World['database']) =>
  (await database.pool.query('select from topups where fault is not null')).rows.length > 0;

export const failedTopup = ({ database }: World): Fault => ({
  name: 'a top-up was asked for, and no store takes it',
  raises: [sameDay('topup-failed')],
  plant: async () => {
    await waitUntil(() => isGivenUp(database), { what: 'The top-up was not given up.', pollMs: POLL_MS });
  },
  remove: async () => {},
});

/** The job tables as a newer version leaves them, and an email that then waits. */
const foreignJobs = ({ database, processes }: World): Fault => ({
  name: 'the job tables belong to another version',
  raises: [{ alert: 'CounterfoilJobsUnsent' }, sameDay('jobs-off')],
  plant: async () => {
    await database.pool.query('update pgboss.version set version = version + 1');
    const site = { server: processes.dashboard(), dashboardUrl: processes.dashboardUrl };
    const body = { mail: 'waiting@acme.test', name: 'Somebody', language: 'en', password: 'a password that waits' };
    const { status } = await openBrowser(site).send('POST', '/sign-up', body);
    const { rows } = await database.pool.query('select from waiting_jobs');
    if (rows.length === 0) throw new Error(`No job waits; the sign-up answered ${status}.`);
  },
  remove: async () => void (await database.pool.query('update pgboss.version set version = version - 1')),
});

export const otherVersion = (world: World): Round => ({
  name: 'jobs',
  faults: [foreignJobs(world)],
  afterRemoving: () => acknowledgeAll(world),
});

/** Requests that are sent while the disk is full, and that then make the failed ones few. */
const AT_ONCE = 4;
const GOOD = 2_000;

const isCreated = (world: World) =>
  createInvoice(world).then(
    () => true,
    () => false,
  );

const fullDisk = (world: World): Fault => {
  let failed = 0;
  let sending: Promise<unknown> | undefined;
  const over = new AbortController();
  const send = async () => {
    while (!over.signal.aborted) if (!(await isCreated(world))) failed += 1;
  };
  return {
    name: 'the disk of the database is full',
    raises: [{ alert: 'CounterfoilRequestsFail', labels: { job: 'counterfoil-api' } }],
    mayRaise: ['CounterfoilLoopStopped', 'CounterfoilMetricsIncomplete'],
    plant: async () => {
      await world.cluster.fill();
      sending = Promise.all(Array.from({ length: AT_ONCE }, send));
      await waitUntil(() => failed > AT_ONCE, { what: 'The disk takes everything.', pollMs: POLL_MS });
    },
    remove: async () => {
      await world.cluster.free();
      over.abort();
      await sending;
      await waitUntil(() => isCreated(world), { what: 'The database takes nothing.', pollMs: POLL_MS });
      const url = `${world.processes.api().url}/livez`;
      const count = Math.max(GOOD, failed * 25);
      for (let sent = 0; sent < count; sent += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, () => fetch(url)));
    },
  };
};

export const noRoom = (world: World): Round => ({
  name: 'disk',
  faults: [fullDisk(world)],
  afterRemoving: () => acknowledgeAll(world),
});
