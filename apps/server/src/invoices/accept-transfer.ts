import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { changeInvoices } from './change-invoices.ts';
import type { TransferDecision } from './discard-transfer.ts';
import { refuseAccept } from './doubted-transfer.ts';
import { lockTransferFacts, markAccepted } from './doubted-transfer-sql.ts';
import { lockReader } from './lock-reader.ts';

/** Accepts a transfer without receipt in its present block; in another block it is doubted again. */
export async function acceptTransfer(
  { database, clock, networks }: NetworksContext,
  actor: Actor,
  decision: TransferDecision,
): Promise<void> {
  const { network: symbol, txId, index, reason } = decision;
  const network = networks.get(symbol);
  if (!network) throw new Refusal('NETWORK_UNKNOWN', { network: symbol });
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    await lockReader(tx, decision);
    const facts = await lockTransferFacts(tx, decision);
    const refusal = refuseAccept(facts, network, at);
    if (refusal || !facts) throw refusal ?? new Refusal('TRANSFER_UNKNOWN');
    await markAccepted(tx, facts.id, nameOfActor(actor));
    if (facts.invoiceId !== null) await changeInvoices(tx, at, [facts.invoiceId], new Set());
    await recordAudit(tx, clock, actor, {
      action: 'transfer.accept',
      subject: `chain:${symbol}`,
      details: { txId, index, reason },
    });
  });
}
