import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { requireLink } from '../people/attempt.ts';
import { useLockLink } from '../people/lock-link-sql.ts';
import { hashLinkToken } from '../people/person.ts';
import type { LockedMethods } from './lock-methods.ts';
import { lockHeldMethods } from './lock-methods.ts';

/** Locks payment methods by an email's link, once and without sign-in: locked-out owners must be able to. */
export async function lockMethodsByLink(context: MailContext, actor: Visitor, token: string): Promise<LockedMethods> {
  const { database, clock } = context;
  await requireLink(database.queries, actor.address, token);
  const hash = hashLinkToken(token);
  if (!hash) throw new Refusal('LINK_INVALID');
  return inTransaction(database, async (tx) => {
    const link = await useLockLink(tx, hash, new Date(clock.nowMs()));
    if (!link) throw new Refusal('LINK_INVALID');
    const { merchantAccountId, personCode } = link;
    const details = { linkOf: personCode, address: actor.address };
    const lock = { merchantAccountId, by: `person:${personCode}`, teller: personCode, details };
    return lockHeldMethods(tx, context, actor, lock);
  });
}
