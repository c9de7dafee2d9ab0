import type { Tx } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { changedSince } from '../people/earlier-credentials.ts';
import { listMerchantsToLock } from '../people/restore-sql.ts';
import { lockHeldMethods } from '../wallets/lock-methods.ts';

export async function holdMerchants(tx: Tx, personId: bigint, at: Date): Promise<bigint[]> {
  const merchants = await listMerchantsToLock(tx, personId, changedSince(at));
  for (const merchantAccountId of merchants) await holdMethods(tx, merchantAccountId);
  return merchants;
}

type UndoLock = { merchants: readonly bigint[]; personCode: string; details: Record<string, unknown> };

/** Locks the payment methods of held merchants, like the link in an email about a change. */
export async function lockMerchants(
  tx: Tx,
  context: MailContext,
  actor: Actor,
  { merchants, personCode, details }: UndoLock,
): Promise<void> {
  for (const merchantAccountId of merchants) {
    const lock = { merchantAccountId, by: `person:${personCode}`, teller: personCode, details };
    await lockHeldMethods(tx, context, actor, lock);
  }
}
