import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { drawLink, LINK_MS } from './draw-link.ts';
import { findPersonByCode } from './person-sql.ts';

type PasswordLinkInput = { person: string; reason: string };

/** Issues a password link for an operator to pass on without a mail server. Two-factor is still required. */
export async function issuePasswordLink(
  { database, clock }: Context,
  actor: Operator,
  { person: code, reason }: PasswordLinkInput,
): Promise<string> {
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const person = await findPersonByCode(tx, code);
    if (!person) throw new Refusal('PERSON_UNKNOWN', { person: code });
    const subject = { purpose: 'set-password', personId: person.id } as const;
    const token = await drawLink(tx, { subject, expiresAt: new Date(at.getTime() + LINK_MS.reset) }, at);
    await recordAudit(tx, clock, actor, {
      action: 'person.password_link',
      subject: `person:${code}`,
      details: { reason },
    });
    return token;
  });
}
