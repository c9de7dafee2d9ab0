import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { changeInvoices } from './change-invoices.ts';
import type { Gate } from './expiry-store.ts';
import { lockDueAtGate, lockDueUnselected, passGates, readGates } from './expiry-store.ts';

/**
 * One round of expiry. An invoice ends only when every network it was quoted on has been read past its end, at the tier
 * that would settle it. Each gate has its own batch, so that a dead network starves nobody; several workers may run.
 */

const BATCH = 500;

type Failpoint = (name: string) => void;

export async function expireDueInvoices(
  database: Database,
  clock: Clock,
  failpoint: Failpoint = () => {},
): Promise<number> {
  const gates = await readGates(database.queries);
  let ended = 0;
  for (const gate of [undefined, ...gates]) {
    const passed = await expireBatch(database, clock, gates, gate, failpoint);
    if (passed > 0) failpoint('expire:after-commit');
    ended += passed;
  }
  return ended;
}

/**
 * What was covered before the invoices were locked and still is: coverage that came since is not believed, for its
 * payments may not have been read, and a reorg or a freeze may have taken some away.
 */
export function lowerGates(before: readonly Gate[], now: readonly Gate[]): Gate[] {
  return before.flatMap((gate) => {
    const present = now.find((one) => one.network === gate.network && one.tier === gate.tier);
    if (!present) return [];
    return [present.coveredUntil < gate.coveredUntil ? present : gate];
  });
}

async function expireBatch(
  database: Database,
  clock: Clock,
  gates: readonly Gate[],
  gate: Gate | undefined,
  failpoint: Failpoint,
): Promise<number> {
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const due = gate ? await lockDueAtGate(tx, gate, BATCH) : await lockDueUnselected(tx, at, BATCH);
    if (due.length === 0) return 0;
    failpoint('expire:locked');
    const covered = await passGates(tx, due, lowerGates(gates, await readGates(tx)));
    await changeInvoices(tx, at, covered, new Set(covered));
    failpoint('expire:in-commit');
    return due.length;
  });
}
