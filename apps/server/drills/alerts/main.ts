import { setTimeout as wait } from 'node:timers/promises';
import { makeFinal } from '../../rig/chains/evm/live-chain.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { DrillArguments } from '../../rig/report/drill-arguments.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { closeAll } from '../../rig/site/site-processes.ts';
import { createInvoice, order, pay, untilCompleted } from './buy.ts';
import type { Round } from './fault.ts';
import { judgeCoverage } from './not-raised.ts';
import { judgeOwnAlerts } from './own-alerts.ts';
import { makeRounds } from './rounds.ts';
import type { Tally } from './run-round.ts';
import { runRound } from './run-round.ts';
import type { Watch } from './watch.ts';
import { FACTOR, startWatch } from './watch.ts';
import type { World } from './world.ts';
import { startWorld } from './world.ts';

/**
 * Drills the alerts: real faults of real processes, which a real Prometheus with the shipped rules and a real
 * Alertmanager with the shipped routes must report, and no longer report when the fault is gone. Nothing is written to the
 * table of alarms and no metric is faked. Beside them, the product's own alerts and its heartbeat.
 */

const CALM_SECONDS = { quick: 20, full: 90 };
const POLL_MS = 200;
const STOPPED_EXIT_CODE = 130;
const LEAST_PLANTED = 12;
const SECOND_MS = 1_000;

/** An honest purchase with its webhook. It ends before Prometheus starts, so that webhooks can stop later. */
async function buy(world: World): Promise<void> {
  const bought = await order(world, 'BSC');
  await pay(world, bought);
  await makeFinal(world.nodes.BSC.anvil);
  await untilCompleted(world, bought);
  await waitUntil(() => world.shop.received.some(({ body }) => body.includes(bought.transId)), {
    what: 'The shop received no webhook.',
    pollMs: POLL_MS,
  });
}

/** Sends traffic without a fault. Returns the alerts that fire or are pending anyway, except those of the rules in `except`. */
async function keepCalm(world: World, watch: Watch, seconds: number, except: ReadonlySet<string>) {
  const from = watch.pages.length;
  for (let second = 0; second < seconds; second += 1) {
    const transId = await createInvoice(world);
    await fetch(`${world.processes.api().url}/bill/${transId}`);
    await wait(SECOND_MS);
  }
  const paged = watch.pages.slice(from).filter(({ status }) => status === 'firing');
  const active = (await watch.active()).filter(({ name }) => !except.has(name));
  return [
    ...paged.map(({ labels }) => Object.values(labels).join(' ')),
    ...active.map(({ name, state }) => `${name} ${state}`),
  ];
}

type Result = { tally: Tally; falseAlarms: string[]; figures: object };

async function runRounds(watch: Watch, rounds: readonly Round[], found: Faults): Promise<Omit<Result, 'figures'>> {
  const tally: Tally = { faults: 0, planted: [], raised: [], resolved: [], mayRaise: new Set() };
  const falseAlarms: string[] = [];
  for (const round of rounds) falseAlarms.push(...(await runRound(round, watch, tally, found)));
  return { tally, falseAlarms };
}

async function drill({ quick, part }: DrillArguments, found: Faults, closers: Closers): Promise<Result> {
  const world = await startWorld(closers);
  await buy(world);
  const watch = await startWatch(world.processes.targets, closers);
  const { rounds, kinds, covered } = await makeRounds(world, { quick, part }, closers);
  console.log('everything runs');
  const calm = await keepCalm(world, watch, quick ? CALM_SECONDS.quick : CALM_SECONDS.full, new Set());
  if (world.operator.alerts.length > 0) found.add('an alert was sent before any fault');
  console.log('calm is over');
  const { tally, falseAlarms } = await runRounds(watch, rounds, found);
  const own = await judgeOwnAlerts(world, kinds, found);
  const { count, wrong } = judgeCoverage(watch.rules, covered);
  for (const one of [...wrong, ...(await watch.wrong())]) found.add(one);
  const after = await keepCalm(world, watch, 1, tally.mayRaise);
  return { tally, falseAlarms: [...calm, ...falseAlarms, ...after], figures: { not_raised_here: count, ...own } };
}

const given = readDrillArguments();
const found = gatherFaults();
const closers: Closers = [];
const startedMs = performance.now();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void closeAll(closers).finally(() => process.exit(STOPPED_EXIT_CODE)));
try {
  const { tally, falseAlarms, figures } = await drill(given, found, closers);
  const [planted, raised] = [tally.planted.length, tally.raised.length];
  for (const one of falseAlarms) found.add(`false alarm: ${one}`);
  if (given.part === undefined && planted < LEAST_PLANTED) found.add(`only ${planted} alerts were planted`);
  for (const line of describeFaults(found)) console.log(line);
  if (found.all().length > 0) process.exitCode = 1;
  console.log(
    JSON.stringify({
      planted,
      raised,
      missed: planted - raised,
      resolved: tally.resolved.length,
      false_alarms: falseAlarms.length,
      faults: tally.faults,
      factor: FACTOR,
      ...figures,
      seconds: Math.round((performance.now() - startedMs) / SECOND_MS),
    }),
  );
} finally {
  await closeAll(closers);
}
