import { steadyClock } from '../../src/lib/clock.ts';
import type { Fault, Round } from './fault.ts';
import type { World } from './world.ts';

/** Processes and the database that are gone. */

/** Time between two heartbeats, and a little more. */
const BEAT_MS = 60_000;
const LATE_MS = 6_000;

/** Whether the operator was called within the time in which a running worker calls. */
function isSilent({ operator }: World): boolean {
  const last = operator.beats.at(-1);
  return last !== undefined && steadyClock.nowMs() - last > BEAT_MS + LATE_MS;
}

const down = (job: string): Fault['raises'] => [
  { alert: `Counterfoil${job}Down` },
  { alert: 'CounterfoilInstanceDown', labels: { job: `counterfoil-${job.toLowerCase()}` } },
];

function deadWorker(world: World): Fault {
  const { processes, operator } = world;
  return {
    name: 'the worker is killed',
    raises: down('Worker'),
    plant: async () => {
      await processes.killWorker();
      if (operator.beats.length === 0) throw new Error('The worker has sent no heartbeat.');
    },
    remove: () => processes.startWorker(),
  };
}

function stoppedApi({ processes }: World): Fault {
  return {
    name: 'the API is stopped',
    raises: down('Api'),
    plant: () => processes.stopApi(),
    remove: () => processes.startApi(),
  };
}

function stoppedDashboard({ processes }: World): Fault {
  return {
    name: 'the server of the dashboard is stopped',
    raises: down('Dashboard'),
    plant: () => processes.stopDashboard(),
    remove: () => processes.startDashboard(),
  };
}

/** Every process is gone, for so long that the heartbeat is missed too. */
export const goneProcesses = (world: World): Round => ({
  name: 'processes',
  faults: [deadWorker(world), stoppedApi(world), stoppedDashboard(world)],
  lasted: () => isSilent(world),
});

/** The database is stopped; the shipped Alertmanager keeps what only follows from it silent. */
export const goneDatabase = ({ cluster }: World): Round => ({
  name: 'database',
  faults: [
    {
      name: 'the database is stopped',
      raises: ['api', 'worker', 'dashboard'].map((job) => ({
        alert: 'CounterfoilDatabaseDown',
        labels: { job: `counterfoil-${job}` },
      })),
      // This rule looks back ten minutes, which the drill does not shorten: it still counts the outage after it is over.
      mayRaise: ['CounterfoilMetricsIncomplete'],
      plant: () => cluster.shutDown(),
      remove: () => cluster.start(),
    },
  ],
});
