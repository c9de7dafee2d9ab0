import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { acceptHere, lockConfirmation } from './confirmation-sql.ts';

type Acceptance = {
  reason: string;
  /** Whether the operator states that the database lost nothing, although a mark says otherwise. */
  nothingLost: boolean;
};

/** Accepts this database without a mark, or against one, until the database server starts again. */
export async function acceptDatabase(
  { database, clock }: Context,
  actor: Actor,
  { reason, nothingLost }: Acceptance,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const { wentBack } = await lockConfirmation(tx, undefined);
    if (wentBack && !nothingLost) throw new Refusal('DATABASE_WENT_BACK', {});
    await acceptHere(tx);
    const details = { reason, wentBack };
    await recordAudit(tx, clock, actor, { action: 'database.accept', subject: 'database', details });
  });
}
