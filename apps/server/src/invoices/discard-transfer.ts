import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { revertTransfers } from '../transfers/transfer-store.ts';
import { createApplyTransfers } from './apply-transfers.ts';
import { refuseDiscard } from './doubted-transfer.ts';
import { lockTransferFacts } from './doubted-transfer-store.ts';
import type { NamedTransfer } from './lock-reader.ts';
import { lockReader } from './lock-reader.ts';

export type TransferDecision = NamedTransfer & { reason: string; actor: string };

/**
 * A person's decision that a transfer is not in the chain. What follows is what follows from a reorg: its invoice is
 * decided again, and the network freezes if the transfer had completed it. A read that shows it again brings it back.
 */
export async function discardTransfer(database: Database, clock: Clock, decision: TransferDecision): Promise<void> {
  const { network, txId, index, reason, actor } = decision;
  await inTransaction(database, async (tx) => {
    await lockReader(tx, decision);
    const facts = await lockTransferFacts(tx, decision);
    const refusal = refuseDiscard(facts);
    if (refusal !== undefined || !facts) throw new OperatorError(refusal ?? 'It cannot be discarded.');
    await revertTransfers(tx, [facts.id]);
    await createApplyTransfers(clock)(tx, network, [facts.id]);
    await recordAudit(tx, clock, {
      actor,
      action: 'transfer.discard',
      subject: `chain:${network}`,
      details: { txId, index, reason },
    });
  });
}
