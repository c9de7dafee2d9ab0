import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { TestFault } from '../stores/test-fault-sql.ts';
import { atOnce } from './act.ts';
import type { AskedAct } from './act-sql.ts';
import { countStoreActs, insertActs, lockFaults } from './act-sql.ts';

/** In seconds. */
export const MAX_FAULT_SECONDS = 3_600;
/** Most pending actions of a test store. */
const MAX_STORE_ACTS = 50;

type FaultInput = { store: StoreRef; fault: TestFault; seconds: number };

/** Requests a fault of a test store. It ends automatically; zero seconds end it immediately. */
export async function requestFault(
  { database, clock }: Context,
  _actor: Actor,
  { store, fault, seconds }: FaultInput,
): Promise<AskedAct[]> {
  if (store.live) throw new Refusal('STORE_NOT_FOR_TESTS');
  const plan = [atOnce({ kind: 'fault', fault, seconds })];
  return inTransaction(database, async (tx) => {
    await lockFaults(tx, store.id);
    if ((await countStoreActs(tx, store.id, MAX_STORE_ACTS)) >= MAX_STORE_ACTS)
      throw new Refusal('TOO_MANY_FAULTS', { most: MAX_STORE_ACTS });
    return insertActs(tx, store.id, null, plan, new Date(clock.nowMs()));
  });
}
