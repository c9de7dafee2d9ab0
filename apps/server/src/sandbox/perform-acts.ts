import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Networks } from '../networks/networks.ts';
import { saveTestFault } from '../stores/test-fault-sql.ts';
import type { TestFault } from '../stores/test-fault-sql.ts';
import type { ActOutcome, DueAct } from './act-sql.ts';
import { findDueStores, insertActs, lockActs, readDueActs, saveOutcome } from './act-sql.ts';
import { advanceInvoice, endInvoiceTime } from './advance-invoice.ts';
import { confirmInvoice, payInvoice, reorgInvoice } from './pay-invoice.ts';
import { wakeStore } from './wake-accounts.ts';

/**
 * Performs the acts of test stores. Stores take turns, each with a few acts in one transaction, so that one with many acts
 * delays no other.
 */

export type PerformContext = { database: Database; clock: Clock; networks: Networks; log: Logger };

/** The most due acts that one search looks at to find their stores. */
const MAX_FOUND = 200;
/** The most acts that are performed for one store in one transaction. */
const MAX_PER_STORE = 10;
const MS_PER_SECOND = 1_000;

type Performing = { tx: Tx; networks: Networks; storeId: bigint; at: Date };

async function beginFault({ tx, storeId, at }: Performing, fault: TestFault, seconds: number): Promise<ActOutcome> {
  await saveTestFault(tx, storeId, fault, new Date(at.getTime() + seconds * MS_PER_SECOND));
  if (fault === 'outage')
    await insertActs(tx, storeId, null, [{ act: { kind: 'recover' }, afterMs: seconds * MS_PER_SECOND }], at);
  return { done: true };
}

async function perform(performing: Performing, { act, invoiceId }: DueAct): Promise<ActOutcome> {
  const { tx, storeId, at } = performing;
  if (act.kind === 'fault') return beginFault(performing, act.fault, act.seconds);
  if (act.kind === 'recover') return wakeStore(tx, storeId, at);
  if (invoiceId === null) return { done: false, note: 'no invoice' };
  const of = { ...performing, invoiceId };
  switch (act.kind) {
    case 'pay':
      return payInvoice(of, act);
    case 'confirm':
      return confirmInvoice(of);
    case 'reorg':
      return reorgInvoice(of, act);
    case 'advance':
      return advanceInvoice(of, act.seconds);
    case 'end':
      return endInvoiceTime(of);
  }
}

async function performForStore({ database, clock, networks }: PerformContext, storeId: bigint): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    if (!(await lockActs(tx, storeId))) return false;
    const at = new Date(clock.nowMs());
    const due = await readDueActs(tx, storeId, at, MAX_PER_STORE);
    for (const act of due) await saveOutcome(tx, act.id, await perform({ tx, networks, storeId, at }, act), at);
    return due.length > 0;
  });
}

/** Gives up the first act of a store that fails again and again: those behind it would wait for ever. */
async function giveUp({ database, clock }: PerformContext, storeId: bigint): Promise<void> {
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const [first] = await readDueActs(tx, storeId, at, 1);
    if (first) await saveOutcome(tx, first.id, { done: false, note: 'failed' }, at);
  });
}

export async function performActs(context: PerformContext): Promise<boolean> {
  const { database, clock, log } = context;
  let hasActed = false;
  for (const storeId of await findDueStores(database.queries, new Date(clock.nowMs()), MAX_FOUND)) {
    try {
      if (await performForStore(context, storeId)) hasActed = true;
    } catch (cause) {
      log.error({ err: cause, storeId: String(storeId) }, 'an act in the sandbox failed');
      await giveUp(context, storeId);
    }
  }
  return hasActed;
}
