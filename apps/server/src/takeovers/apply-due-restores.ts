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

/** Applies a due restore, unless it was stopped. */
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

/** Whether a restore can never be applied: another user has the address, or the sealing key is lost. */
const isHopeless = (cause: unknown) =>
  cause instanceof Refusal && ['ADDRESS_TAKEN', 'LINK_INVALID'].includes(cause.code);

/** Applies due restores. One that cannot be applied is stopped; failing ones are retried without delaying others. */
export async function applyDueRestores({ database, ...context }: PeopleContext, actor: Actor): Promise<void> {
  const failures: unknown[] = [];
  for (const personId of await listDueRestores(database.queries, new Date(context.clock.nowMs()), BATCH)) {
    const scoped = actAs(database, { personId }, { prepared: true });
    try {
      await orAddressTaken(applyDue({ ...context, database: scoped }, actor, personId));
    } catch (cause) {
      const at = new Date(context.clock.nowMs());
      if (isHopeless(cause)) await inTransaction(scoped, (tx) => stopOpenRestore(tx, personId, at));
      else failures.push(cause);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Restores of accounts could not be applied.');
}
