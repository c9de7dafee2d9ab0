import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { StoreSettings } from './store-sql.ts';
import { holdStore, saveStoreSettings } from './store-sql.ts';

/** A change of a store's settings; a setting that is undefined stays as it is. */
type ChangeStoreInput = { store: StoreRef } & { [Name in keyof StoreSettings]?: StoreSettings[Name] | undefined };

/** Changes settings of a store. The lifetime counts for new invoices; the grace counts for open ones too. */
export async function changeStore(
  { database, clock }: Context,
  actor: Actor,
  { store, name, lifetimeMinutes, graceMinutes, httpsCallbacksOnly }: ChangeStoreInput,
): Promise<StoreSettings> {
  return inTransaction(database, async (tx) => {
    const held = await holdStore(tx, store.id);
    const before: StoreSettings = {
      name: held.name,
      lifetimeMinutes: held.lifetimeMinutes,
      graceMinutes: held.graceMinutes,
      httpsCallbacksOnly: held.httpsCallbacksOnly,
    };
    const after: StoreSettings = {
      name: name ?? before.name,
      lifetimeMinutes: lifetimeMinutes ?? before.lifetimeMinutes,
      graceMinutes: graceMinutes ?? before.graceMinutes,
      httpsCallbacksOnly: httpsCallbacksOnly ?? before.httpsCallbacksOnly,
    };
    await saveStoreSettings(tx, store.id, after);
    const subject = `store:${store.id}`;
    await recordAudit(tx, clock, actor, { action: 'store.change', subject, details: { before, after } });
    return after;
  });
}
