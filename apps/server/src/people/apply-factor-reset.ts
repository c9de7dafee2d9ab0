import type { Tx } from '../db/transaction.ts';
import type { Origin } from '../lib/actor.ts';
import { decideReset } from './factor-reset.ts';
import { lockOpenReset, removeFactors } from './factor-reset-sql.ts';
import { keepEarlier } from './keep-earlier.ts';
import { mailPerson } from './mail-person.ts';
import { notifyLostFactor } from './notify-lost-factor.ts';
import type { PeopleContext } from './people-context.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

/** Applies a due reset when signing in by password: only a sign-in depends on it. */
export async function applyFactorReset(
  tx: Tx,
  context: PeopleContext,
  { personId, origin }: { personId: bigint; origin: Origin },
  at: Date,
): Promise<void> {
  const reset = await lockOpenReset(tx, personId);
  if (!reset || decideReset(reset, at) !== 'apply') return;
  const undo = await keepEarlier(tx, context.ring, { personId, changed: 'factors', always: true }, at);
  await removeFactors(tx, reset.id, personId, at);
  await revokeSessionsOf(tx, personId, null, at);
  const { address, agent } = origin;
  await insertSecurityEvent(tx, { kind: 'factors-reset', personId, address, agent }, at);
  const data = { ...undo, factor: 'all', at: String(at.getTime()) };
  await mailPerson(tx, context, { personId, template: 'factor-removed', data });
  await notifyLostFactor(tx, context, { personId }, at);
}
