import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { isDatabaseError } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction, tryPart } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Networks } from '../networks/networks.ts';
import { saveTestFault } from '../stores/test-fault-sql.ts';
import type { TestFault } from '../stores/test-fault-sql.ts';
import { isMending } from './act.ts';
import type { ActOutcome, DueAct } from './act-sql.ts';
import {
  countTry,
  deleteIdleActs,
  deleteRecoveries,
  findDueStores,
  insertActs,
  lockActs,
  readDueAct,
  saveOutcome,
} from './act-sql.ts';
import { advanceInvoice, endInvoiceTime } from './advance-invoice.ts';
import { cancelTestInvoice } from './cancel-test-invoice.ts';
import { chooseMethod } from './choose-method.ts';
import { confirmInvoice, payInvoice, reorgInvoice } from './pay-invoice.ts';
import { wakeStore } from './wake-accounts.ts';

/** Performs actions in order per store. Stores take turns of a few, so that one with many delays no other. */

const BEFORE_ALL = 0n;

/** Round-robin cursor: id of the last store served; `0n` starts over. */
type Turn = { after: bigint };

export type PerformContext = { database: Database; clock: Clock; networks: Networks; log: Logger; turn: Turn };

/** Most stores per step. */
const MAX_FOUND = 200;
/** Most actions of a store per turn. */
const MAX_PER_STORE = 10;
/** Attempts of an action that waits too long for a lock, before it fails. */
const MAX_TRIES = 10;
/** Most kept repairs without effect per invoice. */
const MAX_IDLE_ACTS = 50;
const STATEMENT_TIMED_OUT = '57014';

type Performing = { tx: Tx; networks: Networks; clock: Clock; storeId: bigint; at: Date };

async function beginFault({ tx, storeId, at }: Performing, fault: TestFault, seconds: number): Promise<ActOutcome> {
  await saveTestFault(tx, storeId, fault, new Date(at.getTime() + seconds * SECOND_MS));
  if (fault !== 'outage') return { done: true };
  // An outage has one end: the newest.
  await deleteRecoveries(tx, storeId);
  await insertActs(tx, storeId, null, [{ act: { kind: 'recover' }, afterMs: seconds * SECOND_MS }], at);
  return { done: true };
}

async function perform(performing: Performing, { act, invoiceId }: DueAct): Promise<ActOutcome> {
  const { tx, storeId, at } = performing;
  if (act.kind === 'fault') return beginFault(performing, act.fault, act.seconds);
  if (act.kind === 'recover') return wakeStore(tx, storeId, at);
  if (invoiceId === null) return { done: false, note: 'no invoice' };
  const of = { ...performing, invoiceId };
  switch (act.kind) {
    case 'choose':
      return chooseMethod(of);
    case 'pay':
      return payInvoice(of, act);
    case 'confirm':
      return confirmInvoice(of);
    case 'reorg':
      return reorgInvoice(of, act);
    case 'cancel':
      return cancelTestInvoice(of);
    case 'advance':
      return advanceInvoice(of, act.seconds);
    case 'end':
      return endInvoiceTime(of);
  }
}

/**
 * Performs an action, reverting its effects on failure. It is recorded as failed unless it only waited too long for a
 * lock: then it is retried a limited number of times.
 */
function tryAct(log: Logger, performing: Performing, act: DueAct): Promise<ActOutcome | 'later'> {
  const { tx, storeId } = performing;
  return tryPart<ActOutcome | 'later'>(
    tx,
    () => perform(performing, act),
    (cause) => {
      const timedOut = isDatabaseError(cause, STATEMENT_TIMED_OUT);
      if (timedOut && act.tries + 1 < MAX_TRIES) return 'later';
      log.error({ err: cause, storeId: String(storeId), act: String(act.id) }, 'a sandbox action failed');
      return { done: false, note: timedOut ? 'others were in the way' : 'failed' };
    },
  );
}

/**
 * Performs a store's first due action; false when there is none, or it and all later ones wait for another turn. One
 * transaction each: readers lock accounts before invoices, so an action that still held another's invoice would
 * deadlock.
 */
async function performNext({ database, clock, networks, log }: PerformContext, storeId: bigint): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    if (!(await lockActs(tx, storeId))) return false;
    const at = new Date(clock.nowMs());
    const due = await readDueAct(tx, storeId, at);
    if (!due) return false;
    const outcome = await tryAct(log, { tx, networks, clock, storeId, at }, due);
    if (outcome === 'later') {
      await countTry(tx, due.id);
      return false;
    }
    await saveOutcome(tx, due.id, outcome, at);
    if (!outcome.done && due.invoiceId !== null && isMending(due.act))
      await deleteIdleActs(tx, due.invoiceId, MAX_IDLE_ACTS);
    return true;
  });
}

async function performForStore(context: PerformContext, storeId: bigint): Promise<boolean> {
  for (let acts = 0; acts < MAX_PER_STORE; acts += 1) if (!(await performNext(context, storeId))) return acts > 0;
  return true;
}

export async function performActs(context: PerformContext): Promise<boolean> {
  const { database, clock, log, turn } = context;
  const now = new Date(clock.nowMs());
  const storeIds = await findDueStores(database.queries, now, { after: turn.after, limit: MAX_FOUND });
  const last = storeIds.length < MAX_FOUND ? undefined : storeIds.at(-1);
  turn.after = last ?? BEFORE_ALL;
  let hasActed = false;
  for (const storeId of storeIds) {
    try {
      if (await performForStore(context, storeId)) hasActed = true;
    } catch (cause) {
      // The store is retried in the next step; others continue.
      log.error({ err: cause, storeId: String(storeId) }, 'actions of a test store could not be performed');
    }
  }
  return hasActed;
}
