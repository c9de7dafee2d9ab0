import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { openFactorReset } from './open-factor-reset.ts';
import { findPersonByCode } from './person-sql.ts';

type ResetFactorsInput = { outbox: Outbox; person: string; reason: string };

/** Requests a two-factor reset as an operator, with the same delay as an owner's. */
export async function resetFactors(
  { database, clock }: Context,
  actor: Operator,
  { outbox, person: code, reason }: ResetFactorsInput,
): Promise<Date> {
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const person = await findPersonByCode(tx, code);
    if (!person) throw new Refusal('PERSON_UNKNOWN', { person: code });
    const effective = await openFactorReset(tx, outbox, { person, requestedBy: null, reason }, at);
    await recordAudit(tx, clock, actor, {
      action: 'person.reset_factors',
      subject: `person:${code}`,
      details: { reason, effectiveAt: effective.toISOString() },
    });
    return effective;
  });
}
