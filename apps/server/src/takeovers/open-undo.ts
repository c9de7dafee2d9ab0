import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireUndo } from '../people/attempt.ts';
import { findUndoLink } from '../people/link-sql.ts';
import type { PeopleContext } from '../people/people-context.ts';
import { lockPerson, readPerson } from '../people/person-sql.ts';
import { findOpenRestore } from '../people/restore-sql.ts';
import { insertSecurityEvent } from '../people/security-event-sql.ts';
import { revokeSessionsOf } from '../people/session-sql.ts';
import { holdMerchants, lockMerchants } from './lock-merchants.ts';
import { openStates } from './open-states.ts';
import { requireUndoLink } from './require-undo-link.ts';
import { statesOfLink } from './undo.ts';

type OpenedUndo = {
  /** The address to restore. */
  mail: string;
  totp: boolean;
  passkey: boolean;
  recovery: boolean;
  /** When a pending restore takes effect, if any. */
  effectiveAt: Date | null;
};

/**
 * Opens an undo link: ends all sessions and known browsers and locks the payment methods of the person's merchants. No
 * one is signed in. Returns the earlier methods that restore immediately.
 */
export async function openUndo(context: PeopleContext, actor: Visitor, token: string): Promise<OpenedUndo> {
  const { database, clock, ring } = context;
  const { hash, personId, earlierId } = await requireUndoLink(context, actor, token);
  await requireUndo(database.queries, 'open', personId);
  const { address, agent } = actor;
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const merchants = await holdMerchants(tx, personId, at);
    await lockPerson(tx, personId);
    if (!(await findUndoLink(tx, hash, at))) throw new Refusal('LINK_INVALID');
    const states = statesOfLink(await openStates(tx, ring, personId, at), earlierId);
    const [oldest] = states;
    if (!oldest) throw new Refusal('LINK_INVALID');
    await revokeSessionsOf(tx, personId, null, at);
    await insertSecurityEvent(tx, { kind: 'undo-opened', personId, address, agent }, at);
    const pending = await findOpenRestore(tx, personId);
    const { code: personCode } = await readPerson(tx, personId);
    await lockMerchants(tx, context, actor, { merchants, personCode, details: { undoOf: personCode, address } });
    return {
      mail: oldest.credentials.mail.shown,
      totp: states.some(({ credentials }) => credentials.totp !== null),
      passkey: states.some(({ credentials }) => credentials.passkeys.length > 0),
      recovery: states.some(({ credentials }) => credentials.recovery.some(({ usedAt }) => usedAt === null)),
      effectiveAt: pending?.effectiveAt ?? null,
    };
  });
}
