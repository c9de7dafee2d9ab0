import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { deletePasskey } from './passkey-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

/** Removes one of a person's passkeys. All other sessions of the person end. */
export async function removePasskey({ database, clock }: Context, actor: Person, passkeyId: bigint): Promise<void> {
  requireElevated(actor);
  const { id: personId, sessionHash, address, agent } = actor;
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    if (!(await deletePasskey(tx, personId, passkeyId))) throw new Refusal('PASSKEY_UNKNOWN');
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'passkey-removed', personId, address, agent }, at);
  });
}
