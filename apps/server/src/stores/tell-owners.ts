import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { mailOwners } from '../people/mail-owners.ts';

type StoreNotice = {
  store: StoreRef;
  template: Extract<
    MailTemplate,
    'api-key-changed' | 'webhook-secret-changed' | 'store-switched' | 'brand-changed' | 'https-only-off'
  >;
  at: Date;
  data?: MailData;
};

/** Tells the owners of a store's merchant by mail, in the caller's transaction, what an actor did with the store. */
export async function tellOwners(
  tx: Tx,
  outbox: Outbox,
  actor: Actor,
  { store, template, at, data = {} }: StoreNotice,
): Promise<void> {
  const by = actor.kind === 'person' ? actor.code : 'operator';
  await mailOwners(tx, outbox, {
    merchantAccountId: store.merchantAccountId,
    template,
    data: { ...data, store: store.merchantId, by, at: String(at.getTime()) },
  });
}
