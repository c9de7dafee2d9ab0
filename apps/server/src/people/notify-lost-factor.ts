import type { Tx } from '../db/transaction.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { mailPerson } from './mail-person.ts';
import { listTwoFactorOwners } from './membership-sql.ts';
import { readPerson } from './person-sql.ts';

const MAX_OWNERS = 500;

/** Notifies other owners when a person removed their last required method; returns whether it was the last. */
export async function notifyLostFactor(
  tx: Tx,
  outbox: Outbox,
  { personId }: { personId: bigint },
  at: Date,
): Promise<boolean> {
  const { hasFactor, code } = await readPerson(tx, personId);
  if (hasFactor) return false;
  for (const { merchantAccountId, ownerId } of await listTwoFactorOwners(tx, personId, MAX_OWNERS)) {
    const data = { merchant: String(merchantAccountId), member: code, at: String(at.getTime()) };
    await mailPerson(tx, outbox, { personId: ownerId, template: 'member-without-two-factor', data });
  }
  return true;
}
