import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { issueRecoveryCodes } from './issue-recovery-codes.ts';
import { keepEarlier } from './keep-earlier.ts';
import { lockActor } from './lock-actor.ts';
import { mailPerson } from './mail-person.ts';
import type { PeopleContext } from './people-context.ts';
import { readPerson } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

/** Generates new recovery codes, shown only once; the old ones become invalid. */
export async function renewRecoveryCodes(context: PeopleContext, actor: Person): Promise<string[]> {
  requireElevated(actor);
  const { database, clock, ring } = context;
  const { id: personId, address, agent } = actor;
  return inTransaction(database, async (tx) => {
    await lockActor(tx, actor);
    // Recovery codes require a two-factor method that they replace.
    if (!(await readPerson(tx, personId)).hasFactor) throw new Refusal('FACTOR_NEEDED');
    const at = new Date(clock.nowMs());
    const undo = await keepEarlier(tx, ring, { personId, changed: 'factors' }, at);
    const codes = await issueRecoveryCodes(tx, personId);
    await insertSecurityEvent(tx, { kind: 'recovery-codes-drawn', personId, address, agent }, at);
    const data = { ...undo, factor: 'recovery-codes', at: String(at.getTime()) };
    await mailPerson(tx, context, { personId, template: 'factor-added', data });
    return codes;
  });
}
