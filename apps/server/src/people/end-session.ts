import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { hashSessionToken } from './session.ts';
import { lockSession, revokeSession } from './session-sql.ts';

/** Signs out: ends a session by its token, also one that waits for its second factor. An unknown token does nothing. */
export async function endSession({ database, clock }: Context, actor: Visitor, token: string): Promise<void> {
  const hash = hashSessionToken(token);
  if (!hash) return;
  const { address, agent } = actor;
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const session = await lockSession(tx, hash);
    if (!session) return;
    await revokeSession(tx, hash, at);
    await insertSecurityEvent(tx, { kind: 'sign-out', personId: session.personId, address, agent }, at);
  });
}
