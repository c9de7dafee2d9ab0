import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { isSandboxId } from '../networks/network-id.ts';
import type { AttachFacts } from './inbox-sql.ts';
import { attachToInvoice, readAttachFacts } from './inbox-sql.ts';
import { changeInvoices } from './change-invoices.ts';
import type { NamedTransfer } from './lock-reader.ts';
import { lockReader } from './lock-reader.ts';

type AttachInput = NamedTransfer & { transId: string };

/** Why a transfer may not be attached; undefined when it may. */
function refuseAttachment(facts: AttachFacts | undefined): Refusal | undefined {
  if (!facts) return new Refusal('INVOICE_UNKNOWN', {});
  if (!facts.storeLive) return new Refusal('INVOICE_OF_TEST_STORE');
  if (facts.transferId === null) return new Refusal('TRANSFER_UNKNOWN');
  if (!facts.canonical) return new Refusal('TRANSFER_LEFT_CHAIN');
  if (!facts.ownedInTime) return new Refusal('TRANSFER_TO_ANOTHER_MERCHANT');
  if (facts.pays) return new Refusal('TRANSFER_PAYS_ALREADY');
  if (facts.completed) return new Refusal('INVOICE_PAID');
  return undefined;
}

/**
 * Carries out a person's decision that a transfer pays an invoice. The invoice completes once the transfer is as deep
 * as any payment must be.
 */
export async function attachTransfer({ database, clock }: Context, actor: Actor, input: AttachInput): Promise<void> {
  // No transfer in the sandbox is attached by a person: such a transfer can pay only invoices of test stores, and is
  // matched with them automatically.
  if (isSandboxId(input.network)) throw new Refusal('SANDBOX_NETWORK', { network: input.network });
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const { frozen } = await lockReader(tx, input);
    if (frozen) throw new Refusal('NETWORK_FROZEN', { network: input.network });
    const facts = await readAttachFacts(tx, input.transId, input.network, input.txId, input.index);
    const refusal = refuseAttachment(facts);
    if (refusal || !facts || facts.transferId === null) throw refusal ?? new Refusal('TRANSFER_UNKNOWN');
    await attachToInvoice(tx, facts.transferId, facts.invoiceId, nameOfActor(actor));
    await changeInvoices(tx, at, [facts.invoiceId], new Set());
    await recordAudit(tx, clock, actor, {
      action: 'transfer.attach',
      subject: `invoice:${input.transId}`,
      details: { transId: input.transId, network: input.network, txId: input.txId, index: input.index },
    });
  });
}
