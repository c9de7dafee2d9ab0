import { systemClock } from '../../src/lib/clock.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { tenths } from '../../rig/report/percentile.ts';
import type { FaultFact } from '../../rig/report/fault-judgement.ts';
import type { Customers } from './customers.ts';
import type { Fault } from './faults.ts';
import type { Members } from './members.ts';
import { awaitRecovery } from './recovery.ts';
import type { FaultSite } from './site.ts';
import { callsDuring } from './traffic.ts';

/** Causes one fault under load, and waits until everything works again. */

export type Load = { customers: Customers; members: Members };
export type Outcome = FaultFact & { kills: number; allSeconds: number | undefined };

/** A payment that is this new cannot be settled yet. */
const FRESH_MS = 500;
const POLL_MS = 10;

const untilPaying = ({ customers }: Load) =>
  waitUntil(() => (customers.payments.at(-1)?.sentAtMs ?? 0) > systemClock.nowMs() - FRESH_MS, {
    what: 'Nobody pays.',
    pollMs: POLL_MS,
  });

/** Counts payments made before the end of a span whose webhook had not been received at its beginning. */
async function countPayments({ receivers }: FaultSite, { customers }: Load, fromMs: number, untilMs: number) {
  const { receipts } = await receivers.report();
  const told = receipts.filter(({ firstSuccessAtMs }) => firstSuccessAtMs > 0 && firstSuccessAtMs < fromMs);
  const settled = new Set(told.map(({ path }) => path.split('/').at(-1)));
  return customers.payments.filter(({ requestId, sentAtMs }) => sentAtMs <= untilMs && !settled.has(requestId)).length;
}

const describeParts = (parts: Readonly<Record<string, number>>) =>
  Object.entries(parts)
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, seconds]) => `${name} ${tenths(seconds * 1_000)}`)
    .join(', ');

export async function strikeFault(site: FaultSite, load: Load, { kind, strike }: Fault): Promise<Outcome> {
  site.signal.throwIfAborted();
  await untilPaying(load);
  const { struckAtMs, endedAtMs, evidence, target, kills } = await strike(site);
  const { seconds, allSeconds, parts, broken } = await awaitRecovery(site, load.members, endedAtMs);
  const calls = callsDuring(site.traffic, struckAtMs, endedAtMs);
  const requests = calls.filter((call) => target === undefined || call.target === target).length;
  const payments = await countPayments(site, load, struckAtMs, endedAtMs);
  console.log(
    `${kind}: ${evidence ?? 'NOT SEEN'}; lasted ${tenths(endedAtMs - struckAtMs)} s; ` +
      `${requests} requests and ${payments} payments; recovered after ${describeParts(parts)}`,
  );
  return { kind, evidence, requests, payments, recoverySeconds: seconds, allSeconds, broken, kills };
}
