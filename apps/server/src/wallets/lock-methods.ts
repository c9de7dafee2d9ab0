import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor, Operator, Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods, saveMethodsLock } from '../merchants/merchant-sql.ts';
import { mailOwners } from '../people/mail-owners.ts';
import { requireMember } from '../people/require-member.ts';
import { decideWaiting } from './method-change-sql.ts';

type Lock = {
  merchantAccountId: bigint;
  /** Who locks, as the audit names them. */
  by: string;
  /** Who locks, as mails find their name: the code of a person, or `operator`. */
  teller: string;
  details: Record<string, unknown>;
};

/** Whether the methods are locked by this call; false when they were before. */
export type LockedMethods = { isNew: boolean };

/**
 * Locks a merchant's payment methods in the caller's transaction: stops what waits, and tells the owners. Does nothing
 * when they are locked already.
 */
export async function lockHeldMethods(
  tx: Tx,
  { clock, jobs }: MailContext,
  actor: Actor,
  { merchantAccountId, by, teller, details }: Lock,
): Promise<LockedMethods> {
  const held = await holdMethods(tx, merchantAccountId);
  if (!held) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
  if (held.lockedAt) return { isNew: false };
  const at = new Date(clock.nowMs());
  await saveMethodsLock(tx, merchantAccountId, { at, by });
  const stopped = await decideWaiting(tx, { merchantAccountId }, { state: 'locked', by, at });
  const data = { by: teller, at: String(at.getTime()) };
  await mailOwners(tx, { clock, jobs }, { merchantAccountId, template: 'methods-locked', data });
  await recordAudit(tx, clock, actor, {
    action: 'methods.lock',
    subject: `merchant:${merchantAccountId}`,
    details: { ...details, stopped },
  });
  return { isNew: true };
}

/**
 * Locks the payment methods of a merchant: changes that wait are stopped for ever, and no method and no API key can be
 * added until an owner unlocks. It only protects: every member may, and no step-up is asked.
 */
export async function lockMethods(
  context: MailContext,
  actor: Person,
  { merchantCode }: { merchantCode: string },
): Promise<LockedMethods> {
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission: 'method.lock' });
  const lock = { merchantAccountId, by: nameOfActor(actor), teller: actor.code, details: {} };
  return inTransaction(context.database, (tx) => lockHeldMethods(tx, context, actor, lock));
}

/** Locks the payment methods of a merchant at an operator's word. */
export async function lockMethodsForOperator(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, reason }: { merchantAccountId: bigint; reason: string },
): Promise<LockedMethods> {
  const lock = { merchantAccountId, by: nameOfActor(actor), teller: 'operator', details: { reason } };
  return inTransaction(context.database, (tx) => lockHeldMethods(tx, context, actor, lock));
}
