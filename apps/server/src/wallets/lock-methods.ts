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
  by: string;
  /** Who locks, as emails name them: a person's code, or `operator`. */
  teller: string;
  details: Record<string, unknown>;
};

export type LockedMethods = { isNew: boolean };

/** Locks payment methods in the caller's transaction: stops pending changes and notifies the owners. */
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
 * Locks payment methods: pending changes are stopped permanently, and no method or API key can be added until an owner
 * unlocks. It only protects, so every member may, without step-up.
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

/** Locks payment methods as an operator. */
export async function lockMethodsForOperator(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, reason }: { merchantAccountId: bigint; reason: string },
): Promise<LockedMethods> {
  const lock = { merchantAccountId, by: nameOfActor(actor), teller: 'operator', details: { reason } };
  return inTransaction(context.database, (tx) => lockHeldMethods(tx, context, actor, lock));
}
