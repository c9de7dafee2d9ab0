import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { beholderOf } from '../people/beholder.ts';
import { REACHED } from '../people/membership-sql.ts';
import { findOwnTransfer } from './attachment-sql.ts';
import { deleteDismissal } from './dismissal-sql.ts';

type RestoreInput = { merchantAccountId: bigint; transferId: bigint };

/** Reverts a dismissal. */
export async function restoreTransfer(
  { database, clock }: Context,
  actor: Person,
  { merchantAccountId, transferId }: RestoreInput,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const reached = REACHED(beholderOf({ clock }, actor));
    const transfer = await findOwnTransfer(tx, { reached, merchantAccountId }, transferId);
    if (!transfer) throw new Refusal('TRANSFER_UNKNOWN');
    if (!(await deleteDismissal(tx, merchantAccountId, transferId))) throw new Refusal('TRANSFER_NOT_DISMISSED');
    const { network, txId, index } = transfer;
    await recordAudit(tx, clock, actor, {
      action: 'transfer.restore',
      subject: `merchant:${merchantAccountId}`,
      details: { network, txId, index },
    });
  });
}
