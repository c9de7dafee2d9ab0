import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { TestFault } from '../stores/test-fault-sql.ts';
import { atOnce } from './act.ts';
import type { AskedAct } from './act-sql.ts';
import { insertActs } from './act-sql.ts';

/** The longest time that a test store's fault lasts, in seconds. */
export const MAX_FAULT_SECONDS = 3_600;

type FaultInput = { store: StoreRef; fault: TestFault; seconds: number };

/** Asks for a fault of a test store. A fault ends by itself; asking with zero seconds ends a fault at once. */
export async function requestFault(
  { database, clock }: Context,
  _actor: Actor,
  { store, fault, seconds }: FaultInput,
): Promise<AskedAct[]> {
  if (store.live) throw new Refusal('STORE_NOT_FOR_TESTS');
  const plan = [atOnce({ kind: 'fault', fault, seconds })];
  return inTransaction(database, (tx) => insertActs(tx, store.id, null, plan, new Date(clock.nowMs())));
}
