import type { Context } from '../db/context.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Failpoint } from '../lib/failpoint.ts';
import { changeInvoices } from './change-invoices.ts';
import type { Gate } from './expiry-sql.ts';
import {
  findDueAtAccounts,
  findDueAtRemoved,
  findDueAtRetired,
  findDueGates,
  lockDueAtGate,
  lockDueUnselected,
  lockWaiting,
  passGates,
  readAccountGates,
  readGates,
} from './expiry-sql.ts';

/**
 * One round of expiry. An invoice expires only when every network it was quoted on is covered past the invoice's end,
 * at the tier that would settle a payment. Each gate has its own batch, so that a dead network holds up no other;
 * several workers may run rounds. Followed accounts, of which there may be thousands, share one batch with a few
 * invoices of each.
 */

const BATCH = 500;

/** A batch of due invoices, and the gates as they were read before the invoices were locked. */
type Batch = { gates: readonly Gate[]; lock: (tx: Tx, at: Date) => Promise<bigint[]> };

type ExpiryContext = Context & { failpoint?: Failpoint };

export async function expireDueInvoices(context: ExpiryContext): Promise<number> {
  const { database, clock } = context;
  const now = new Date(clock.nowMs());
  const gates = await readGates(database.queries, now);
  const batches: Batch[] = [
    { gates, lock: (tx, at) => lockDueUnselected(tx, at, BATCH) },
    ...(await findDueGates(database.queries, gates)).map((gate) => ({
      gates,
      lock: (tx: Tx) => lockDueAtGate(tx, gate, BATCH),
    })),
  ];
  let ended = 0;
  for (const batch of batches) ended += await expireBatch(context, batch);
  const found = await findBehindAccounts(database, now);
  if (found.length === 0) return ended;
  const all = [...gates, ...(await readAccountGates(database.queries, found, now))];
  const behind = { gates: all, lock: (tx: Tx) => lockWaiting(tx, found) };
  return ended + (await expireBatch(context, behind));
}

/**
 * Finds invoices past their end whose gate is a followed account that is covered past that end, or that is no longer
 * read because its network was retired or the exchange account removed.
 */
async function findBehindAccounts({ queries }: Database, now: Date): Promise<bigint[]> {
  return [
    ...(await findDueAtAccounts(queries, BATCH)),
    ...(await findDueAtRetired(queries, now, BATCH)),
    ...(await findDueAtRemoved(queries, now, BATCH)),
  ];
}

const keyOf = (gate: Gate) => `${gate.network} ${gate.tier} ${gate.scope}`;

/**
 * Takes the lower coverage of each gate: as read before the invoices were locked, or as read now. Coverage gained in
 * between does not count, because the payments in it may not have been read; and a reorg or a freeze may have taken
 * some coverage away.
 */
export function lowerGates(before: readonly Gate[], now: readonly Gate[]): Gate[] {
  const held = new Map(now.map((gate) => [keyOf(gate), gate]));
  return before.flatMap((gate) => {
    const present = held.get(keyOf(gate));
    if (!present) return [];
    return [present.coveredUntil < gate.coveredUntil ? present : gate];
  });
}

async function expireBatch(
  { database, clock, failpoint = () => {} }: ExpiryContext,
  { gates, lock }: Batch,
): Promise<number> {
  const passed = await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const due = await lock(tx, at);
    if (due.length === 0) return 0;
    await failpoint('expire:locked');
    const covered = await passGates(tx, due, lowerGates(gates, await readAllGates(tx, due, at)));
    await changeInvoices(tx, at, covered, new Set(covered));
    await failpoint('expire:in-commit');
    return due.length;
  });
  if (passed > 0) await failpoint('expire:after-commit');
  return passed;
}

/** Reads how far every network and followed account that these invoices were quoted on is covered. */
export async function readAllGates(queries: Queries | Tx, ids: readonly bigint[], at: Date): Promise<Gate[]> {
  return [...(await readGates(queries, at)), ...(await readAccountGates(queries, ids, at))];
}
