import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { revertTransfers } from '../transfers/transfer-sql.ts';
import { createApplyTransfers } from './apply-transfers.ts';
import { refuseDiscard } from './doubted-transfer.ts';
import { lockTransferFacts } from './doubted-transfer-sql.ts';
import type { NamedTransfer } from './lock-reader.ts';
import { lockReader } from './lock-reader.ts';

export type TransferDecision = NamedTransfer & { reason: string };

/**
 * Discards a transfer that is not in the chain, like a reorg: its invoice is decided again, and the network freezes if
 * it had completed that invoice. A read that shows it again restores it.
 */
export async function discardTransfer(
  { database, clock, networks }: NetworksContext,
  actor: Actor,
  decision: TransferDecision,
): Promise<void> {
  const { network, txId, index, reason } = decision;
  await inTransaction(database, async (tx) => {
    await lockReader(tx, decision);
    const facts = await lockTransferFacts(tx, decision);
    const refusal = refuseDiscard(facts);
    if (refusal || !facts) throw refusal ?? new Refusal('TRANSFER_UNKNOWN');
    await revertTransfers(tx, [facts.id]);
    await createApplyTransfers({ clock, networks })(tx, network, [facts.id]);
    await recordAudit(tx, clock, actor, {
      action: 'transfer.discard',
      subject: `chain:${network}`,
      details: { txId, index, reason },
    });
  });
}
