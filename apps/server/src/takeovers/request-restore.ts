import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { changedSince } from '../people/earlier-credentials.ts';
import { findUndoLink } from '../people/link-sql.ts';
import type { PeopleContext } from '../people/people-context.ts';
import { lockPerson, readPerson } from '../people/person-sql.ts';
import { countRestores, insertRestore, lockOpenRestore, stopOpenRestore } from '../people/restore-sql.ts';
import { insertSecurityEvent } from '../people/security-event-sql.ts';
import { revokeSessionsOf } from '../people/session-sql.ts';
import { holdMerchants, lockMerchants } from './lock-merchants.ts';
import { mailAddresses } from './mail-addresses.ts';
import { openStates } from './open-states.ts';
import { requireUndoLink } from './require-undo-link.ts';
import { decideUndo, restoredAt } from './undo.ts';

/** Requests in seven days: a reader of an old inbox could otherwise repeat them until one is not stopped in time. */
const MAX_REQUESTS = 3;

/** Requests a restore without two-factor, which any address can stop for a day. Returns when it takes effect. */
export async function requestRestore(context: PeopleContext, actor: Visitor, token: string): Promise<Date> {
  const { database, clock, ring } = context;
  const { hash, personId, earlierId: linkedId } = await requireUndoLink(context, actor, token);
  const { address, agent } = actor;
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const merchants = await holdMerchants(tx, personId, at);
    await lockPerson(tx, personId);
    if (!(await findUndoLink(tx, hash, at))) throw new Refusal('LINK_INVALID');
    const states = await openStates(tx, ring, personId, at);
    const pending = await lockOpenRestore(tx, personId);
    const decision = decideUndo({ kept: states, linkedId, pending });
    if (decision.kind === 'waits' && pending) return pending.effectiveAt;
    if (decision.kind !== 'wait') throw new Refusal('LINK_INVALID');
    if ((await countRestores(tx, personId, changedSince(at))) >= MAX_REQUESTS) throw new Refusal('TOO_MANY_RESTORES');
    if (decision.endsPending) await stopOpenRestore(tx, personId, at);
    const effectiveAt = restoredAt(at);
    const id = await insertRestore(tx, { personId, earlierId: decision.target, address, agent, effectiveAt }, at);
    await revokeSessionsOf(tx, personId, null, at);
    await insertSecurityEvent(tx, { kind: 'restore-requested', personId, address, agent }, at);
    const { code: personCode, mail } = await readPerson(tx, personId);
    const addresses = [mail, ...states.map(({ credentials }) => credentials.mail.shown)];
    const data = { restore: String(id) };
    await mailAddresses(tx, context, { personId, addresses, template: 'restore-requested', data });
    await lockMerchants(tx, context, actor, { merchants, personCode, details: { undoOf: personCode, address } });
    await recordAudit(tx, clock, actor, {
      action: 'person.restore_request',
      subject: `person:${personCode}`,
      details: { effectiveAt: effectiveAt.toISOString(), address },
    });
    return effectiveAt;
  });
}
