import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { deleteTotp, replaceRecoveryCodes } from './factor-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

/** Removes a person's authenticator app with its recovery codes. All other sessions of the person end. */
export async function removeTotp({ database, clock }: Context, actor: Person): Promise<void> {
  requireElevated(actor);
  const { id: personId, sessionHash, address, agent } = actor;
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    if (!(await deleteTotp(tx, personId))) throw new Refusal('TOTP_NOT_BEGUN');
    await replaceRecoveryCodes(tx, personId, []);
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'totp-removed', personId, address, agent }, at);
  });
}
