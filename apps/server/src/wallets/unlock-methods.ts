import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods, saveMethodsLock } from '../merchants/merchant-sql.ts';
import { requireRepeatable } from '../people/attempt.ts';
import { mailOwners } from '../people/mail-owners.ts';
import { requireElevated } from '../people/require-elevated.ts';
import { requireMember } from '../people/require-member.ts';
import { REQUESTER_WAITS_HOURS } from './method-change.ts';
import { hasStoppedRequest } from './method-change-sql.ts';

type Unlock = { merchantAccountId: bigint; teller: string; details: Record<string, unknown> };

async function unlockHeldMethods(
  tx: Tx,
  { clock, jobs }: MailContext,
  actor: Operator | Person,
  { merchantAccountId, teller, details }: Unlock,
): Promise<void> {
  const held = await holdMethods(tx, merchantAccountId);
  if (!held) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
  if (!held.lockedAt) throw new Refusal('METHODS_NOT_LOCKED');
  const at = new Date(clock.nowMs());
  const since = new Date(at.getTime() - REQUESTER_WAITS_HOURS * HOUR_MS);
  if (await hasStoppedRequest(tx, { merchantAccountId, requestedBy: nameOfActor(actor), since }))
    throw new Refusal('UNLOCK_BY_REQUESTER', { hours: REQUESTER_WAITS_HOURS });
  await saveMethodsLock(tx, merchantAccountId, null);
  const data = { by: teller, at: String(at.getTime()) };
  await mailOwners(tx, { clock, jobs }, { merchantAccountId, template: 'methods-unlocked', data });
  await recordAudit(tx, clock, actor, {
    action: 'methods.unlock',
    subject: `merchant:${merchantAccountId}`,
    details: { before: { lockedAt: held.lockedAt }, ...details },
  });
}

/**
 * Unlocks payment methods; stopped changes stay stopped. Requires an owner with a step-up; within a day of the lock,
 * not the one who requested a stopped change.
 */
export async function unlockMethods(
  context: MailContext,
  actor: Person,
  { merchantCode }: { merchantCode: string },
): Promise<void> {
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission: 'method.unlock' });
  requireElevated(actor);
  await requireRepeatable(context.database.queries, 'unlock', { person: actor.code, merchantAccountId });
  const unlock = { merchantAccountId, teller: actor.code, details: {} };
  await inTransaction(context.database, (tx) => unlockHeldMethods(tx, context, actor, unlock));
}

/** Unlocks payment methods as an operator, for a merchant whose owners cannot. */
export async function unlockMethodsForOperator(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, reason }: { merchantAccountId: bigint; reason: string },
): Promise<void> {
  const unlock = { merchantAccountId, teller: 'operator', details: { reason } };
  await inTransaction(context.database, (tx) => unlockHeldMethods(tx, context, actor, unlock));
}
