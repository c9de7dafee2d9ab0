import { recordAudit } from '../audit/record-audit.ts';
import { acceptHere, lockConfirmation, reserveAmounts } from '../confirmations/confirmation-sql.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { shutOutAll } from '../people/shut-out-all-sql.ts';
import { lockMethodsForOperator } from '../wallets/lock-methods.ts';
import { listMerchantsWithChanges } from '../wallets/method-change-sql.ts';
import { lostQuotesEnd } from './restore.ts';
import { insertRestore } from './restore-sql.ts';

type BegunRestore = {
  epoch: bigint;
  reservedUntil: Date;
  /** False when an earlier restore still used the reserved amounts: nothing is quoted until `reservedUntil`. */
  quotes: boolean;
  sessions: number;
  links: number;
  invitations: number;
  recoveryCodes: number;
  lockedMerchants: number;
};

/** Most merchants whose pending changes are stopped in one round. */
const BATCH = 100;
const REASON = 'the database was restored';

/** Stops the pending changes of all merchants: those that were cancelled in the lost time are pending again. */
async function lockMerchants(context: MailContext, actor: Operator): Promise<number> {
  let locked = 0;
  for (;;) {
    const merchants = await listMerchantsWithChanges(context.database.queries, BATCH);
    for (const merchantAccountId of merchants)
      await lockMethodsForOperator(context, actor, { merchantAccountId, reason: REASON });
    locked += merchants.length;
    if (merchants.length < BATCH) return locked;
  }
}

/**
 * Declares that the database lost what was committed since a moment. Ends what the lost time may have ended, and then lets
 * workers confirm the database, which quotes reserved amounts until all lost quotes are over.
 */
export async function beginRestore(
  context: MailContext,
  actor: Operator,
  { lostSince }: { lostSince: Date },
): Promise<BegunRestore> {
  const { database, clock } = context;
  if (lostSince.getTime() > clock.nowMs()) throw new Refusal('RESTORE_IN_FUTURE');
  const lockedMerchants = await lockMerchants(context, actor);
  return inTransaction(database, async (tx) => {
    await lockConfirmation(tx, undefined);
    const { epoch, beganAt } = await insertRestore(tx, lostSince, nameOfActor(actor));
    const reservedUntil = lostQuotesEnd(beganAt);
    const quotes = await reserveAmounts(tx, reservedUntil);
    const ended = await shutOutAll(tx, new Date(clock.nowMs()));
    await acceptHere(tx);
    const facts = { lostSince: lostSince.toISOString(), reservedUntil: reservedUntil.toISOString(), quotes };
    await recordAudit(tx, clock, actor, {
      action: 'restore.begin',
      subject: `restore:${epoch}`,
      details: { ...facts, ...ended, lockedMerchants },
    });
    return { epoch, reservedUntil, quotes, ...ended, lockedMerchants };
  });
}
