import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { hashSessionToken } from './session.ts';
import { lockSession, revokeSession } from './session-sql.ts';

/** Ends the browser's earlier session: after a new sign-in nothing else could. Ignores unknown tokens. */
export async function endPresentSession(
  tx: Tx,
  { address, agent }: Visitor,
  token: string | undefined,
  at: Date,
): Promise<void> {
  const hash = token === undefined ? undefined : hashSessionToken(token);
  const session = hash && (await lockSession(tx, hash));
  if (!session) return;
  await revokeSession(tx, hash, at);
  await insertSecurityEvent(tx, { kind: 'sign-out', personId: session.personId, address, agent }, at);
}

/** Signs out, also from a session that waits for two-factor. Ignores unknown tokens. */
export async function endSession({ database, clock }: Context, actor: Visitor, token: string): Promise<void> {
  await inTransaction(database, (tx) => endPresentSession(tx, actor, token, new Date(clock.nowMs())));
}
