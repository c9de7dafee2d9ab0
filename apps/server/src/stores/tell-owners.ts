import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { MailData, MailTemplate } from '../mail/mail.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { takeStoreNotice } from '../people/attempt.ts';
import { mailOwners } from '../people/mail-owners.ts';

type StoreNotice = {
  store: StoreRef;
  template: Extract<
    MailTemplate,
    | 'api-key-changed'
    | 'webhook-secret-changed'
    | 'webhook-endpoint-added'
    | 'store-switched'
    | 'brand-changed'
    | 'https-only-off'
    | 'payment-attached'
  >;
  at: Date;
  data?: MailData;
};

/** Actions that a member can repeat. New keys and secrets have their own budget and are always reported one by one. */
const REPEATABLE: ReadonlySet<MailTemplate> = new Set([
  'store-switched',
  'brand-changed',
  'https-only-off',
  'payment-attached',
]);

/**
 * Emails the owners about an action on a store. After many changes in an hour, later ones are merged: a member cannot
 * flood owners or hide one change among others.
 */
export async function tellOwners(
  tx: Tx,
  outbox: Outbox,
  actor: Actor,
  { store, template, at, data = {} }: StoreNotice,
): Promise<void> {
  const by = actor.kind === 'person' ? actor.code : 'operator';
  const { merchantAccountId } = store;
  const merges =
    actor.kind === 'person' &&
    REPEATABLE.has(template) &&
    data['contact'] !== 'yes' &&
    !(await takeStoreNotice(tx, { person: actor.code, merchantAccountId }));
  await mailOwners(tx, outbox, {
    merchantAccountId,
    template,
    merges,
    data: { ...data, store: store.merchantId, by, at: String(at.getTime()) },
  });
}
