import { recordAudit } from '../audit/record-audit.ts';
import { actAs } from '../db/act-as.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { PeopleContext } from '../people/people-context.ts';
import { lockPerson, readPerson } from '../people/person-sql.ts';
import { listDueRestores, lockOpenRestore, noteRestoreApplied, stopOpenRestore } from '../people/restore-sql.ts';
import { applyRestore, orAddressTaken } from './apply-restore.ts';
import { holdMerchants, lockMerchants } from './lock-merchants.ts';
import { openStates } from './open-states.ts';

const BATCH = 50;

/** Applies the restore of a person whose time has come, unless it was stopped meanwhile. */
async function applyDue(context: PeopleContext, actor: Actor, personId: bigint): Promise<void> {
  const { database, clock, ring } = context;
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const merchants = await holdMerchants(tx, personId, at);
    await lockPerson(tx, personId);
    const due = await lockOpenRestore(tx, personId);
    if (!due || due.effectiveAt > at) return;
    const states = await openStates(tx, ring, personId, at);
    await noteRestoreApplied(tx, due.id, at);
    await applyRestore(tx, context, { personId, states, target: due.earlierId, origin: due }, at);
    const { code: personCode } = await readPerson(tx, personId);
    await lockMerchants(tx, context, actor, { merchants, personCode, details: { undoOf: personCode } });
    await recordAudit(tx, clock, actor, {
      action: 'person.restore',
      subject: `person:${personCode}`,
      details: { proof: null, address: due.address },
    });
  });
}

/**
 * Applies restores whose day is over. One that cannot be applied, because somebody else has got the email address or a
 * lost key sealed the credentials, is stopped: its link still works.
 */
export async function applyDueRestores({ database, ...context }: PeopleContext, actor: Actor): Promise<void> {
  for (const personId of await listDueRestores(database.queries, new Date(context.clock.nowMs()), BATCH)) {
    const scoped = actAs(database, { personId }, { prepared: true });
    try {
      await orAddressTaken(applyDue({ ...context, database: scoped }, actor, personId));
    } catch (cause) {
      if (!(cause instanceof Refusal) || !['ADDRESS_TAKEN', 'LINK_INVALID'].includes(cause.code)) throw cause;
      const at = new Date(context.clock.nowMs());
      await inTransaction(scoped, (tx) => stopOpenRestore(tx, personId, at));
    }
  }
}
