import type { ChaosSizes } from './chaos.ts';
import { startChaos } from './chaos.ts';
import type { Cluster } from '../../rig/database/own-cluster.ts';
import { withCluster } from '../../rig/database/own-cluster.ts';
import { drillIsolation } from './isolation.ts';
import type { Latency } from '../../rig/webhooks/measure-latency.ts';
import type { OutageSizes } from './outage.ts';
import { drillOutage } from './outage.ts';
import { drillSilence } from './silence.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import { median } from '../../rig/report/percentile.ts';

/**
 * Drills that every event is delivered, whatever happens to receivers, workers and the database. Four parts on four
 * databases of one database server: chaos (kills and moods), outage (a merchant that is away for three days), isolation
 * (what a bad endpoint costs other endpoints), and silence (twenty silent stores). The isolation part waits until no
 * worker is killed; at the quick size leases of dead workers run out meanwhile. The silence part runs alone.
 */

type Sizes = {
  chaos: ChaosSizes;
  outage: OutageSizes;
  isolationSeconds: number;
  /** Whether the isolation part runs without any other part. */
  isolationAlone: boolean;
  silenceSeconds: number;
};

const QUICK: Sizes = {
  chaos: {
    events: 1_500,
    activeMs: 5_000,
    kills: 1,
    failpointRounds: 1,
    restarts: 1,
    moodMs: 700,
    settleMs: 90_000,
  },
  outage: { eventsPerEndpoint: 20 },
  isolationSeconds: 5,
  isolationAlone: false,
  silenceSeconds: 3,
};
const FULL: Sizes = {
  chaos: {
    events: 10_000,
    activeMs: 120_000,
    kills: 12,
    failpointRounds: 2,
    restarts: 2,
    moodMs: 3_000,
    settleMs: 300_000,
  },
  outage: { eventsPerEndpoint: 60 },
  isolationSeconds: 20,
  isolationAlone: true,
  silenceSeconds: 40,
};
const MAX_FAULTS_SHOWN = 30;
const GOAL = { healthyMs: 100, ratio: 1.2 };
/** Most times that p99 of healthy stores may grow by beside silent ones, which delay them by seconds without limits. */
const MAX_SILENCE_GROWTH = 5;

function describe({ events, p50Ms, p99Ms, worstMs }: Latency): string {
  return `${events} events, p50 ${p50Ms} p99 ${p99Ms} worst ${worstMs} ms`;
}

type DrillOptions = { sizes: Sizes; seed: number; tell: (fault: string) => void };

async function runDrill(cluster: Cluster, { sizes, seed, tell }: DrillOptions) {
  const chaosRun = startChaos(cluster, { sizes: sizes.chaos, seed, tell });
  const outageRun = drillOutage(cluster, sizes.outage, tell);
  // All parts end before the failure of one part ends the drill, because each part has processes to stop.
  const bothDone = Promise.allSettled([chaosRun.figures, outageRun]);
  const isolationRun = (sizes.isolationAlone ? bothDone : chaosRun.calm).then(() =>
    drillIsolation(cluster, sizes.isolationSeconds, tell),
  );
  await Promise.allSettled([bothDone, isolationRun]);
  const [chaos, outage, isolation] = await Promise.all([chaosRun.figures, outageRun, isolationRun]);
  const silence = await drillSilence(cluster, { seconds: sizes.silenceSeconds, tell });
  const odd = `${chaos.abandoned} abandoned, ${chaos.overtaking} overtook one that broke on the way`;
  console.log(`kills and moods: ${chaos.delivered} of ${chaos.events} delivered, ${chaos.attempts} attempts, ${odd}`);
  const within = `${outage.caughtUpSeconds.toFixed(0)} s after the return`;
  const most = `at most ${outage.mostPerHost} at one host, ${outage.mostPerEndpoint} at one endpoint`;
  console.log(`three days away: ${outage.delivered} of ${outage.events} delivered ${within}, ${most}`);
  const { calm, beside } = isolation;
  console.log(`all are well: ${describe(calm)}`);
  console.log(`one is dead, one hangs: ${describe(beside)}`);
  const ratio = beside.p99Ms / calm.p99Ms;
  const reached = beside.p99Ms < GOAL.healthyMs && ratio <= GOAL.ratio;
  const goal = `the goal is below ${GOAL.healthyMs} ms and ${GOAL.ratio} times`;
  console.log(
    `p99 ${beside.p99Ms} against ${calm.p99Ms} ms, ${ratio.toFixed(2)} times; ${goal}: ${reached ? '' : 'not '}reached`,
  );
  const held = `${silence.leastHeld} to ${silence.mostHeld} requests hung all the while`;
  for (const [round, latency] of silence.beside.entries()) {
    console.log(`all stores answer: ${describe(silence.calm[round] ?? latency)}`);
    console.log(`twenty stores are silent: ${describe(latency)}, ${held}`);
  }
  if (!(silence.growth <= MAX_SILENCE_GROWTH))
    tell(`p99 grows ${silence.growth.toFixed(2)} times beside silent stores, more than ${MAX_SILENCE_GROWTH}`);
  const silenceMissing = [...silence.calm, ...silence.beside].reduce((sum, { missing }) => sum + missing, 0);
  return {
    events: chaos.events,
    delivered: chaos.delivered,
    lost: chaos.lost + outage.lost + calm.missing + beside.missing + silenceMissing,
    attempts: chaos.attempts,
    duplicates: chaos.duplicates,
    kills: chaos.kills,
    signature_failures:
      chaos.signatureFailures + outage.signatureFailures + isolation.signatureFailures + silence.signatureFailures,
    healthy_p99_ms: Math.max(beside.p99Ms, median(silence.beside.map(({ p99Ms }) => p99Ms))),
    silence_growth: Number(silence.growth.toFixed(2)),
    worst_delay_s: Number((chaos.worstDelayMs / 1000).toFixed(1)),
  };
}

const { quick, seed } = readDrillArguments();
console.log(`seed ${seed}`);
const faults: string[] = [];
const figures = await withCluster((cluster) =>
  runDrill(cluster, { sizes: quick ? QUICK : FULL, seed, tell: (fault) => faults.push(fault) }),
);
for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) console.log(`FAULT ${fault}`);
if (faults.length > 0 || figures.lost > 0 || figures.signature_failures > 0) process.exitCode = 1;
console.log(JSON.stringify(figures));
