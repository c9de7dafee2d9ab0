import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { setStoreActive } from './store-sql.ts';

type ActivateStoreInput = { store: StoreRef; active: boolean };

/**
 * Switches a store on or off. Open invoices of a store that is off still settle and notify; only new calls are refused.
 */
export async function activateStore(
  { database, clock }: Context,
  actor: Actor,
  { store, active }: ActivateStoreInput,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    await setStoreActive(tx, store.id, active);
    await recordAudit(tx, clock, actor, {
      action: active ? 'store.activate' : 'store.deactivate',
      subject: `store:${store.id}`,
      details: {},
    });
  });
}
