import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { AttachFacts } from './inbox-store.ts';
import { attachToInvoice, readAttachFacts } from './inbox-store.ts';
import { changeInvoices } from './change-invoices.ts';
import type { NamedTransfer } from './lock-reader.ts';
import { lockReader } from './lock-reader.ts';

export type AttachInput = NamedTransfer & { transId: string; actor: string };

/** Why a transfer may not be attached; undefined when it may. */
export function refuseAttachment(facts: AttachFacts | undefined): string | undefined {
  if (!facts) return 'There is no such invoice.';
  if (!facts.storeLive) return 'The invoice is of a test store, which no money pays.';
  if (facts.transferId === null) return 'There is no such transfer to a watched address.';
  if (!facts.canonical) return 'The transfer is no longer in the chain.';
  if (!facts.ownedInTime) return "The transfer did not arrive at an address that was this merchant's at the time.";
  if (facts.pays) return 'The transfer pays an invoice already.';
  if (facts.completed) return 'The invoice is paid already.';
  return undefined;
}

/** A person's decision that a transfer pays an invoice. It completes at the depth that any payment needs. */
export async function attachTransfer(database: Database, clock: Clock, input: AttachInput): Promise<void> {
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const { frozen } = await lockReader(tx, input);
    if (frozen) throw new OperatorError(`${input.network} is frozen.`);
    const facts = await readAttachFacts(tx, input.transId, input.network, input.txId, input.index);
    const refusal = refuseAttachment(facts);
    if (refusal || !facts || facts.transferId === null) throw new OperatorError(refusal ?? 'It cannot be attached.');
    await attachToInvoice(tx, facts.transferId, facts.invoiceId, input.actor);
    await changeInvoices(tx, at, [facts.invoiceId], new Set());
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: 'transfer.attach',
      subject: `store:${facts.storeId}`,
      details: { transId: input.transId, network: input.network, txId: input.txId, index: input.index },
    });
  });
}
