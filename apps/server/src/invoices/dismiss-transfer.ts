import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { beholderOf } from '../people/beholder.ts';
import { REACHED } from '../people/membership-sql.ts';
import { findOwnTransfer } from './attachment-sql.ts';
import { insertDismissal } from './dismissal-sql.ts';

type DismissInput = {
  merchantAccountId: bigint;
  transferId: bigint;
  note: string;
};

/** Dismisses an unmatched transfer with a note. It is hidden from lists and can still be attached. */
export async function dismissTransfer(
  { database, clock }: Context,
  actor: Person,
  { merchantAccountId, transferId, note }: DismissInput,
): Promise<void> {
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const reached = REACHED(beholderOf({ clock }, actor));
    const transfer = await findOwnTransfer(tx, { reached, merchantAccountId }, transferId);
    if (!transfer) throw new Refusal('TRANSFER_UNKNOWN');
    if (transfer.pays) throw new Refusal('TRANSFER_PAYS_ALREADY');
    if (!(await insertDismissal(tx, { merchantAccountId, transferId, note, by: nameOfActor(actor), at })))
      throw new Refusal('TRANSFER_DISMISSED');
    const { network, txId, index } = transfer;
    await recordAudit(tx, clock, actor, {
      action: 'transfer.dismiss',
      subject: `merchant:${merchantAccountId}`,
      details: { network, txId, index, note },
    });
  });
}
