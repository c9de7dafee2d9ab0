import { isSandboxId } from '@counterfoil/core/network-id.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Networks } from '../networks/networks.ts';
import type { AttachFacts } from './inbox-sql.ts';
import { attachToInvoice, readAttachFacts } from './inbox-sql.ts';
import { decideAttachment, lockAsked } from './attachment-sql.ts';
import { changeInvoices } from './change-invoices.ts';
import type { NamedTransfer } from './lock-reader.ts';
import { lockReader } from './lock-reader.ts';
import { requireRequest } from './require-request.ts';

type AttachInput = NamedTransfer & {
  transId: string;
  request?: { id: bigint; askedBy: string; networks: Networks };
};

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

/** Attaches a transfer to an invoice, which completes at the usual depth; decides the request with it. */
export async function attachTransfer({ database, clock }: Context, actor: Actor, input: AttachInput): Promise<void> {
  // Sandbox transfers are matched automatically and pay only invoices of test stores.
  if (isSandboxId(input.network)) throw new Refusal('SANDBOX_NETWORK', { network: input.network });
  const at = new Date(clock.nowMs());
  const { request } = input;
  await inTransaction(database, async (tx) => {
    if (request && !(await lockAsked(tx, request.id))) return;
    const { frozen } = await lockReader(tx, input);
    if (frozen) throw new Refusal('NETWORK_FROZEN', { network: input.network });
    const facts = await readAttachFacts(tx, input.transId, input.network, input.txId, input.index);
    const refusal = refuseAttachment(facts);
    if (refusal || !facts || facts.transferId === null) throw refusal ?? new Refusal('TRANSFER_UNKNOWN');
    if (request) await requireRequest(tx, request, { ...facts, network: input.network });
    await attachToInvoice(tx, facts.transferId, facts.invoiceId, request?.askedBy ?? nameOfActor(actor));
    await changeInvoices(tx, at, [facts.invoiceId], new Set());
    if (request) await decideAttachment(tx, request.id, { state: 'done', at });
    const { transId, network, txId, index } = input;
    await recordAudit(tx, clock, actor, {
      action: 'transfer.attach',
      subject: `invoice:${transId}`,
      details: { network, txId, index, storeId: String(facts.storeId), ...(request && { askedBy: request.askedBy }) },
    });
  });
}
