import { setTimeout as wait } from 'node:timers/promises';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import type { FaultRecord, Judgement } from '../../rig/report/fault-judgement.ts';
import { judgeFaults, worstRecovery } from '../../rig/report/fault-judgement.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import { tenths } from '../../rig/report/percentile.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import { collectRecord } from './collect.ts';
import { startCustomers } from './customers.ts';
import type { Fault, Lengths } from './faults.ts';
import { faultsOf } from './faults.ts';
import { startMembers } from './members.ts';
import type { FaultSite, SiteSizes } from './site.ts';
import { withFaultSite } from './site.ts';
import type { Load, Outcome } from './strike.ts';
import { strikeFault } from './strike.ts';

/**
 * Drills faults of processes and of PostgreSQL: two APIs, two workers and the dashboard sell under supervision while each
 * is killed in turn, and while PostgreSQL restarts, is killed, freezes, and runs out of disk and of connections. Then
 * the drill compares what clients were told with chains, rows and webhooks. `--part KIND` causes one fault alone.
 */

type Sizes = {
  /** How each fault lasts, round by round. */
  rounds: readonly Lengths[];
  clients: number;
  pauseMs: number;
  people: SiteSizes;
};

const QUICK: Sizes = {
  rounds: [{ freezeMs: 8_000, fullMs: 3_000, exhaustedMs: 3_000 }],
  clients: 4,
  pauseMs: 500,
  people: { signingIn: 30, forgetting: 150 },
};
const FULL: Sizes = {
  rounds: [
    { freezeMs: 8_000, fullMs: 5_000, exhaustedMs: 5_000 },
    { freezeMs: 2_000, fullMs: 15_000, exhaustedMs: 10_000 },
    { freezeMs: 30_000, fullMs: 10_000, exhaustedMs: 15_000 },
  ],
  clients: 6,
  pauseMs: 300,
  people: { signingIn: 60, forgetting: 900 },
};

const SETTLE_MS = 120_000;
const POLL_MS = 1_000;
const MOST_COMPLAINTS = 12;

/** The faults of a round in an order that the seed gives. */
function shuffle(faults: readonly Fault[], random: () => number): Fault[] {
  return faults
    .map((fault) => ({ fault, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ fault }) => fault);
}

/** Judges until nothing is lost any more or the time is over; what is double can never be right again. */
async function judgeWhenSettled(
  collect: () => Promise<FaultRecord>,
): Promise<{ record: FaultRecord; judgement: Judgement }> {
  const untilMs = steadyClock.nowMs() + SETTLE_MS;
  for (;;) {
    const record = await collect();
    const judgement = judgeFaults(record);
    if (judgement.lost.length === 0 || judgement.double.length > 0 || steadyClock.nowMs() > untilMs)
      return { record, judgement };
    await wait(POLL_MS);
  }
}

/** The message of a logged line, the last of which a killed process may have left unfinished. */
function readComplaint(line: string): string {
  try {
    const { loop, msg, err } = JSON.parse(line) as { loop?: string; msg?: string; err?: Error };
    return [loop, msg, err?.message].filter(Boolean).join(': ');
  } catch {
    return 'an unfinished line';
  }
}

/** Prints what the processes have logged, the most frequent first. */
function printComplaints({ processes }: FaultSite): void {
  const lines = Object.entries(processes).flatMap(([name, process]) =>
    process
      .outputs()
      .flatMap((output) =>
        (output.match(/.*"level":(?:50|60).*/g) ?? []).map((line) => `${name.split('-')[0]}: ${readComplaint(line)}`),
      ),
  );
  const counted = [...Map.groupBy(lines, (line) => line)].map(([line, all]) => ({ line, times: all.length }));
  for (const { line, times } of counted.toSorted((left, right) => right.times - left.times).slice(0, MOST_COMPLAINTS))
    console.log(`  ${times} x logged: ${line}`);
}

const countBy = (names: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

async function causeAll(site: FaultSite, load: Load, faults: readonly Fault[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const fault of faults) outcomes.push(await strikeFault(site, load, fault));
  return outcomes;
}

async function drill(site: FaultSite, sizes: Sizes, faults: readonly Fault[], seed: number) {
  const customers = startCustomers({ site, seed, clients: sizes.clients, pauseMs: sizes.pauseMs });
  const members = startMembers(site);
  const load = { customers, members };
  const outcomes = await causeAll(site, load, faults);
  await Promise.all([customers.stop(), members.stop()]);
  const promised = faults.map(({ kind }) => kind);
  const started = steadyClock.nowMs();
  const { record, judgement } = await judgeWhenSettled(() => collectRecord(site, load, { faults: outcomes, promised }));
  console.log(`settled after ${tenths(steadyClock.nowMs() - started)} s`);
  printComplaints(site);
  const { calls } = site.traffic;
  const completed = record.invoices.filter(({ status }) => status === 'completed').length;
  for (const one of customers.gaveUp) judgement.failures.push(one);
  const figures = {
    kills: outcomes.reduce((sum, { kills }) => sum + kills, 0),
    lost: judgement.lost.length,
    double: judgement.double.length,
    worst_recovery_s: worstRecovery(outcomes) ?? null,
    worst_full_recovery_s: worstRecovery(outcomes.map(({ allSeconds }) => ({ recoverySeconds: allSeconds }))) ?? null,
    faults: countBy(outcomes.filter(({ evidence }) => evidence !== undefined).map(({ kind }) => kind)),
    ledger_imbalance: record.ledgerFaults.length,
    requests: calls.length,
    failed: calls.filter(({ ok }) => !ok).length,
    invoices: record.invoices.length,
    payments: record.payments.length,
    completed,
    events: record.events.length,
    attempts: record.receipts.length,
    emails: members.askedMails.length,
    exports: members.askedExports.length,
    own_restarts: Object.values(site.processes).reduce((sum, process) => sum + process.ownEnds(), 0),
  };
  return { figures, judgement };
}

const { quick, seed, part } = readDrillArguments();
console.log(`seed ${seed}`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const sizes = quick ? QUICK : FULL;
const random = seededNumbers(seed);
const planned = sizes.rounds.flatMap((lengths) => shuffle(faultsOf(lengths), random));
const chosen = planned.filter(({ kind }) => part === undefined || kind === part);
if (chosen.length === 0) throw new Error(`There is no part ${part}.`);
const started = steadyClock.nowMs();
const { figures, judgement } = await withFaultSite(sizes.people, stop.signal, (site) =>
  drill(site, sizes, chosen, seed),
);
console.log(`${Math.round((steadyClock.nowMs() - started) / 1_000)} s`);
const found = gatherFaults();
for (const [kind, all] of Object.entries(judgement)) for (const one of all) found.add(`${kind}: ${one}`);
for (const line of describeFaults(found)) console.log(line);
if (found.all().length > 0) process.exitCode = 1;
console.log(JSON.stringify(figures));
