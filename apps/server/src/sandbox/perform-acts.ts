import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction, tryPart } from '../db/transaction.ts';
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
 * Performs the acts of test stores. Test stores take turns, a few acts of one store in each transaction, so that a
 * store with many acts delays no other store.
 */

export type PerformContext = { database: Database; clock: Clock; networks: Networks; log: Logger };

/** The most stores whose acts are performed in one step of the sandbox's loop. */
const MAX_FOUND = 200;
/** The most acts that one transaction performs for one store. */
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

/**
 * Performs an act. When an act fails, only that act is undone and noted as failed; the other acts of the transaction go
 * on.
 */
function tryAct(log: Logger, performing: Performing, act: DueAct): Promise<ActOutcome> {
  const { tx, storeId } = performing;
  return tryPart(
    tx,
    () => perform(performing, act),
    (cause) => {
      log.error({ err: cause, storeId: String(storeId), act: String(act.id) }, 'an act in the sandbox failed');
      return { done: false, note: 'failed' };
    },
  );
}

async function performForStore({ database, clock, networks, log }: PerformContext, storeId: bigint): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    if (!(await lockActs(tx, storeId))) return false;
    const at = new Date(clock.nowMs());
    const due = await readDueActs(tx, storeId, at, MAX_PER_STORE);
    for (const act of due) {
      const outcome = await tryAct(log, { tx, networks, storeId, at }, act);
      await saveOutcome(tx, act.id, outcome, at);
    }
    return due.length > 0;
  });
}

export async function performActs(context: PerformContext): Promise<boolean> {
  const { database, clock, log } = context;
  let hasActed = false;
  for (const storeId of await findDueStores(database.queries, new Date(clock.nowMs()), MAX_FOUND)) {
    try {
      if (await performForStore(context, storeId)) hasActed = true;
    } catch (cause) {
      // A store whose acts could not be performed is tried again in the next step of the loop; the acts of other stores
      // go on.
      log.error({ err: cause, storeId: String(storeId) }, 'acts of a test store could not be performed');
    }
  }
  return hasActed;
}
