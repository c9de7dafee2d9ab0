import { setTimeout as wait } from 'node:timers/promises';
import { hangLimitMs } from '../../rig/processes/hang-limit.ts';
import { holdsInTime } from '../../rig/processes/wait-until.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import type { Expected, Fault, Round } from './fault.ts';
import type { Watch } from './watch.ts';
import { isOf, textOf } from './watch.ts';

/** One round of faults: planted together, removed when all of their alerts were raised, over when all were resolved. */

export type Tally = {
  faults: number;
  planted: Expected[];
  raised: Expected[];
  resolved: Expected[];
  /** Rules that may fire because of a fault of this round or of an earlier one, which some rules still look back to. */
  mayRaise: Set<string>;
};

const POLL_MS = 250;
/** Longest wait for an alert that comes or goes; it bounds a drill whose alert never comes. */
const LIMIT_MS = 240_000;

const inTime = (holds: () => boolean) =>
  holdsInTime(holds, { timeoutMs: hangLimitMs(LIMIT_MS), pause: () => wait(POLL_MS) });

const expectedOf = (faults: readonly Fault[]) => faults.flatMap(({ raises }) => raises);

type Say = (text: string) => void;

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** Plants faults side by side; returns those that took place. One that did not is a fault of the drill. */
async function plantAll(faults: readonly Fault[], found: Faults, say: Say): Promise<Fault[]> {
  const planted: Fault[] = [];
  const plantOne = async (fault: Fault) => {
    try {
      await fault.plant();
      planted.push(fault);
      say(`planted: ${fault.name}`);
    } catch (cause) {
      found.add(`${fault.name}: could not be planted: ${reasonOf(cause)}`);
    }
  };
  await Promise.all(faults.map(plantOne));
  return planted;
}

/** Removes each fault; one that did not take place is a fault of the drill. */
async function removeAll(faults: readonly Fault[], found: Faults): Promise<void> {
  await Promise.all(
    faults.map(({ name, remove }) =>
      remove().catch((cause: unknown) => found.add(`${name}: could not be removed: ${reasonOf(cause)}`)),
    ),
  );
}

/** Notes the alerts that were paged since `from` and that no fault explains. */
function findStrays({ faults, mayRaise = [] }: Round, tally: Tally, watch: Watch, from: number): string[] {
  const expected = expectedOf(faults);
  const explained = new Set([...mayRaise, ...tally.mayRaise]);
  return watch.pages
    .slice(from)
    .filter(({ status }) => status === 'firing')
    .filter((page) => !expected.some((one) => isOf(one, page)) && !explained.has(page.labels['alertname'] ?? ''))
    .map(({ labels }) => Object.values(labels).join(' '));
}

/** Waits until every alert was paged and the faults have lasted; returns the alerts that were. */
async function awaitRaised(
  expected: readonly Expected[],
  lasted: () => boolean,
  isRaised: (one: Expected) => boolean,
  say: Say,
): Promise<Expected[]> {
  const raised = new Set<Expected>();
  await inTime(() => {
    for (const one of expected) {
      if (raised.has(one) || !isRaised(one)) continue;
      raised.add(one);
      say(`raised: ${textOf(one)}`);
    }
    return raised.size === expected.length && lasted();
  });
  return [...raised];
}

/** Runs a round; returns the alerts that no fault of it explains. */
export async function runRound(round: Round, watch: Watch, tally: Tally, found: Faults): Promise<string[]> {
  const { name, beforePlanting, lasted = () => true, afterRemoving } = round;
  const from = watch.pages.length;
  const startedMs = steadyClock.nowMs();
  const say: Say = (text) => console.log(`${Math.round((steadyClock.nowMs() - startedMs) / 1_000)} s ${text}`);
  const isRaised = (one: Expected) =>
    watch.pages.slice(from).some((page) => isOf(one, page) && page.status === 'firing');
  console.log(name);
  for (const rule of round.faults.flatMap(({ mayRaise = [] }) => mayRaise)) tally.mayRaise.add(rule);
  await beforePlanting?.();
  const planted = await plantAll(round.faults, found, say);
  const expected = expectedOf(planted);
  tally.faults += planted.length;
  tally.planted.push(...expected);
  const raised = await awaitRaised(expected, lasted, isRaised, say);
  tally.raised.push(...raised);
  for (const one of expected.filter((some) => !raised.includes(some))) found.add(`${textOf(one)} was not raised`);
  if (!lasted()) found.add(`${name}: did not last long enough`);
  await removeAll(planted, found);
  await afterRemoving?.();
  say('removed');
  const isExplained = (alert: string) => tally.mayRaise.has(alert.split(' ', 1)[0] ?? '');
  await inTime(() => !raised.some((one) => watch.fires(one)) && [...watch.firing()].every(isExplained));
  for (const one of raised.filter((some) => watch.fires(some))) found.add(`${textOf(one)} was not resolved`);
  tally.resolved.push(...raised.filter((some) => !watch.fires(some)));
  say('resolved');
  return [...new Set(findStrays(round, tally, watch, from))];
}
