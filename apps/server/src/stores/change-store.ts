import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { requireSetting } from '../people/attempt.ts';
import { requireElevated } from '../people/require-elevated.ts';
import type { StoreSettings } from './store-sql.ts';
import { holdStore, saveStoreSettings } from './store-sql.ts';
import { tellOwners } from './tell-owners.ts';

/** A change of settings; undefined ones do not change. */
type ChangeStoreInput = { store: StoreRef } & { [Name in keyof StoreSettings]?: StoreSettings[Name] | undefined };

/**
 * Changes a store's settings. The lifetime applies to new invoices, the grace to open ones too. Allowing unencrypted
 * webhooks requires a step-up, and owners are notified.
 */
export async function changeStore(
  { database, clock, jobs }: MailContext,
  actor: Actor,
  { store, name, lifetimeMinutes, graceMinutes, httpsCallbacksOnly }: ChangeStoreInput,
): Promise<StoreSettings> {
  await requireSetting(database.queries, actor);
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
    const allowsHttp = before.httpsCallbacksOnly && !after.httpsCallbacksOnly;
    if (allowsHttp && actor.kind === 'person') requireElevated(actor);
    await saveStoreSettings(tx, store.id, after);
    const notice = { store, template: 'https-only-off', at: new Date(clock.nowMs()) } as const;
    if (allowsHttp) await tellOwners(tx, { clock, jobs }, actor, notice);
    const subject = `store:${store.id}`;
    await recordAudit(tx, clock, actor, { action: 'store.change', subject, details: { before, after } });
    return after;
  });
}
