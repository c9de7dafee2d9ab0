import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { delayAt } from '../merchants/method-delay.ts';
import { mailOwners, mailRecentOwners } from '../people/mail-owners.ts';
import { hasMembers } from '../people/membership-sql.ts';
import { requireConfirmedCodes } from '../people/require-confirmed-codes.ts';
import { requireElevated } from '../people/require-elevated.ts';
import type { ExchangeParts, Immediacy, MethodPlace } from './method-change.ts';
import { createMethodChangeCode, decideMethodChange, MAX_CHANGES_IN_A_DAY } from './method-change.ts';
import { decideWaiting, insertChange, readChangeFacts } from './method-change-sql.ts';
import { placeMethod } from './place-method.ts';

type MethodRequest = {
  store: StoreRef;
  place: MethodPlace;
  exchange?: ExchangeParts & { seal: (tx: Tx) => Promise<bigint> };
  /** An operator's order to apply it immediately, with the reason for the audit. */
  now?: { reason: string } | undefined;
};

/** A pending change: its code and when it takes effect. */
export type AnnouncedMethod = { change: string; effectiveAt: Date };

type RequestedMethod = { isPlaced: true; replaced: boolean } | ({ isPlaced: false } & AnnouncedMethod);

type Asked = MethodRequest & { at: Date };

const askerOf = (actor: Operator | Person, now: MethodRequest['now']) => {
  if (actor.kind === 'operator') return now ? 'operator-now' : 'operator';
  return actor.hasFactor ? 'person' : 'person-without-factor';
};

const shownOf = ({ place: { network, address }, exchange }: Asked) => {
  if (!exchange) return { network, address };
  const { seal: _, ...shown } = exchange;
  return { network, account: address, ...shown };
};

/** Applies a method immediately, with any pending change for the same place. */
async function placeNow(
  tx: Tx,
  { clock, jobs }: MailContext,
  actor: Operator | Person,
  asked: Asked,
  why: Immediacy,
): Promise<RequestedMethod> {
  const { store, place, exchange, now, at } = asked;
  const { id: storeId, merchantAccountId } = store;
  const { network, address } = place;
  const sealed = exchange && { ...exchange, secretId: await exchange.seal(tx), checkedAt: at };
  const placed = await placeMethod(tx, { ...place, storeId, merchantAccountId, exchange: sealed }, at);
  if ('fault' in placed) throw new Refusal('ADDRESS_OF_ANOTHER_MERCHANT', { address });
  const decided = { state: 'applied', by: nameOfActor(actor), at } as const;
  const applied = await decideWaiting(tx, { merchantAccountId, storeId, network, address }, decided);
  const { walletId, replaced } = placed;
  if (walletId !== undefined) {
    const data = { wallet: String(walletId), at: String(at.getTime()) };
    await mailOwners(tx, { clock, jobs }, { merchantAccountId, template: 'method-changed', data });
  }
  const added = exchange ? (replaced ? 'exchange.replace-key' : 'exchange.add') : 'wallet.add';
  await recordAudit(tx, clock, actor, {
    action: added,
    subject: `store:${storeId}`,
    details: {
      after: shownOf(asked),
      atOnce: why,
      ...(now && { reason: now.reason }),
      ...(applied.length > 0 && { changes: applied }),
    },
  });
  return { isPlaced: true, replaced };
}

/** Makes a change pending and notifies present and recent owners, each with a link that locks. */
async function announce(
  tx: Tx,
  { clock, jobs }: MailContext,
  actor: Operator | Person,
  asked: Asked,
  delayHours: number,
): Promise<RequestedMethod> {
  const { store, place, exchange, at } = asked;
  const { id: storeId, merchantAccountId } = store;
  const change = createMethodChangeCode();
  const effectiveAt = new Date(at.getTime() + delayHours * HOUR_MS);
  await insertChange(tx, {
    ...place,
    code: change,
    merchantAccountId,
    storeId,
    kind: exchange ? 'exchange-account' : 'wallet',
    exchange: exchange && { ...exchange, secretId: await exchange.seal(tx) },
    requestedBy: nameOfActor(actor),
    requestedAt: at,
    effectiveAt,
  });
  const announced = { merchantAccountId, template: 'method-change-requested', data: { change } } as const;
  await mailRecentOwners(tx, { clock, jobs }, announced);
  await recordAudit(tx, clock, actor, {
    action: 'method.request',
    subject: `store:${storeId}`,
    details: { change, after: shownOf(asked), effectiveAt },
  });
  return { isPlaced: false, change, effectiveAt };
}

/** Requests a payment method by `decideMethodChange`, from the dashboard or the command line. */
export async function requestMethodChange(
  context: MailContext,
  actor: Operator | Person,
  input: MethodRequest,
): Promise<RequestedMethod> {
  const { database, clock } = context;
  const { store, place, exchange, now } = input;
  const { id: storeId, merchantAccountId } = store;
  if (actor.kind === 'person') requireElevated(actor);
  return inTransaction(database, async (tx) => {
    const held = await holdMethods(tx, merchantAccountId);
    if (!held) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
    const at = new Date(clock.nowMs());
    const counted = { since: new Date(at.getTime() - 24 * HOUR_MS), recentLimit: MAX_CHANGES_IN_A_DAY };
    const { waiting, ownerId, ...facts } = await readChangeFacts(tx, { merchantAccountId, storeId }, place, counted);
    const decision = decideMethodChange({
      ...facts,
      kind: exchange ? 'exchange-account' : 'wallet',
      live: store.live,
      locked: held.lockedAt !== null,
      asker: askerOf(actor, now),
      hasMembers: await hasMembers(tx, merchantAccountId),
      isWaiting: waiting !== null,
    });
    if ('refuse' in decision) throw refusalOf(decision.refuse, place, waiting ?? '');
    if (actor.kind === 'person' && store.live) await requireConfirmedCodes(tx, actor.id);
    if (ownerId !== null && ownerId !== merchantAccountId)
      throw new Refusal('ADDRESS_OF_ANOTHER_MERCHANT', { address: place.address });
    const asked = { ...input, at };
    return 'apply' in decision
      ? placeNow(tx, context, actor, asked, decision.apply)
      : announce(tx, context, actor, asked, delayAt(held, at));
  });
}

type RefusedBy = Extract<ReturnType<typeof decideMethodChange>, { refuse: string }>['refuse'];

function refusalOf(code: RefusedBy, { network, address }: MethodPlace, waiting: string): Refusal {
  switch (code) {
    case 'WALLET_EXISTS':
      return new Refusal(code, { network, address });
    case 'METHOD_CHANGE_WAITS':
      return new Refusal(code, { network, change: waiting });
    case 'TOO_MANY_METHOD_CHANGES':
      return new Refusal(code, { most: MAX_CHANGES_IN_A_DAY });
    case 'METHODS_LOCKED':
    case 'FACTOR_NEEDED':
      return new Refusal(code);
  }
}
