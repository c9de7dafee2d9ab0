import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { deleteTotp, replaceRecoveryCodes } from './factor-sql.ts';
import { keepEarlier } from './keep-earlier.ts';
import { lockActor } from './lock-actor.ts';
import { mailPerson } from './mail-person.ts';
import { notifyLostFactor } from './notify-lost-factor.ts';
import type { PeopleContext } from './people-context.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { lowerProof, revokeSessionsOf } from './session-sql.ts';

/** Removes an authenticator app, and the recovery codes with the last method. All other sessions end. */
export async function removeTotp(context: PeopleContext, actor: Person): Promise<void> {
  requireElevated(actor);
  const { database, clock, ring } = context;
  const { id: personId, sessionHash, address, agent } = actor;
  await inTransaction(database, async (tx) => {
    await lockActor(tx, actor);
    const at = new Date(clock.nowMs());
    const undo = await keepEarlier(tx, ring, { personId, changed: 'factors' }, at);
    if (!(await deleteTotp(tx, personId))) throw new Refusal('TOTP_NOT_BEGUN');
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'totp-removed', personId, address, agent }, at);
    const data = { ...undo, factor: 'app', at: String(at.getTime()) };
    await mailPerson(tx, context, { personId, template: 'factor-removed', data });
    if (await notifyLostFactor(tx, context, { personId }, at)) {
      await replaceRecoveryCodes(tx, personId, []);
      await lowerProof(tx, sessionHash);
    }
  });
}
