import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { effectiveAt } from './factor-reset.ts';
import { insertReset, listOwnersAround } from './factor-reset-sql.ts';
import { mailPerson } from './mail-person.ts';
import type { KnownPerson } from './person-sql.ts';

/** How many owners are told about a reset. */
const MAX_OWNERS = 500;

type ResetInput = { person: KnownPerson; requestedBy: bigint | null; reason: string };

/**
 * Opens a reset of a person's second factors in the transaction of a verb, and tells the person and all owners of their
 * merchants, each with a link that stops it. Returns when it takes effect.
 */
export async function openFactorReset(
  tx: Tx,
  outbox: Outbox,
  { person, requestedBy, reason }: ResetInput,
  at: Date,
): Promise<Date> {
  if (!person.hasFactor) throw new Refusal('FACTOR_MISSING');
  const effective = effectiveAt(at);
  const id = await insertReset(tx, { personId: person.id, requestedBy, reason, effectiveAt: effective }, at);
  if (id === undefined) throw new Refusal('FACTOR_RESET_OPEN');
  const data = { reset: String(id) };
  await mailPerson(tx, outbox, { personId: person.id, template: 'factors-reset-requested', data });
  for (const personId of await listOwnersAround(tx, person.id, MAX_OWNERS))
    await mailPerson(tx, outbox, { personId, template: 'member-factors-reset', data });
  return effective;
}
