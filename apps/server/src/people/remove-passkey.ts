import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { replaceRecoveryCodes } from './factor-sql.ts';
import { keepEarlier } from './keep-earlier.ts';
import { lockActor } from './lock-actor.ts';
import { mailPerson } from './mail-person.ts';
import { notifyLostFactor } from './notify-lost-factor.ts';
import { deletePasskey } from './passkey-sql.ts';
import type { PeopleContext } from './people-context.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { lowerProof, revokeSessionsOf } from './session-sql.ts';

/** Removes a passkey, and the recovery codes with the last method. All other sessions end. */
export async function removePasskey(context: PeopleContext, actor: Person, passkeyId: bigint): Promise<void> {
  requireElevated(actor);
  const { database, clock, ring } = context;
  const { id: personId, sessionHash, address, agent } = actor;
  await inTransaction(database, async (tx) => {
    await lockActor(tx, actor);
    const at = new Date(clock.nowMs());
    const undo = await keepEarlier(tx, ring, { personId, changed: 'factors' }, at);
    if (!(await deletePasskey(tx, personId, passkeyId))) throw new Refusal('PASSKEY_UNKNOWN');
    // Remaining recovery codes would become valid again with the next method.
    if (await notifyLostFactor(tx, context, { personId }, at)) {
      await replaceRecoveryCodes(tx, personId, []);
      await lowerProof(tx, sessionHash);
    }
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'passkey-removed', personId, address, agent }, at);
    const data = { ...undo, factor: 'passkey', at: String(at.getTime()) };
    await mailPerson(tx, context, { personId, template: 'factor-removed', data });
  });
}
