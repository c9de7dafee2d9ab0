import { DAY_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMerchant } from '../merchants/merchant-sql.ts';
import { beholderOf } from '../people/beholder.ts';
import { REACHED } from '../people/membership-sql.ts';
import { requireElevated } from '../people/require-elevated.ts';
import { tellOwners } from '../stores/tell-owners.ts';
import { createAttachmentCode } from './attachment.ts';
import {
  countAttachments,
  findInvoiceOfStore,
  findNewestAttachment,
  findOwnTransfer,
  insertAttachment,
} from './attachment-sql.ts';

/** Requests per merchant and day. */
const MAX_ASKED = 1_000;

type AskInput = {
  store: StoreRef;
  transferId: bigint;
  transId: string;
};

async function requireBudget(tx: Tx, merchantAccountId: bigint, at: Date): Promise<void> {
  const since = new Date(at.getTime() - DAY_MS);
  if ((await countAttachments(tx, merchantAccountId, since, MAX_ASKED)) >= MAX_ASKED)
    throw new Refusal('TOO_MANY_ATTACHMENTS', { most: MAX_ASKED });
}

/**
 * Requests that a transfer pay an invoice. A worker performs it, because the dashboard's role must not be able to
 * settle anything. Repeating a request returns the same one. Requires a step-up, because completing an invoice is
 * permanent.
 */
export async function askAttachment(
  { database, clock, jobs }: MailContext,
  actor: Person,
  { store, transferId, transId }: AskInput,
): Promise<string> {
  requireElevated(actor);
  const at = new Date(clock.nowMs());
  const { id: storeId, merchantAccountId } = store;
  return inTransaction(database, async (tx) => {
    await holdMerchant(tx, merchantAccountId);
    const reached = REACHED(beholderOf({ clock }, actor));
    const transfer = await findOwnTransfer(tx, { reached, merchantAccountId }, transferId);
    if (!transfer) throw new Refusal('TRANSFER_UNKNOWN');
    const invoice = await findInvoiceOfStore(tx, storeId, transId);
    if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
    const newest = await findNewestAttachment(tx, transferId);
    if (newest?.transId === transId && (newest.state === 'asked' || (newest.state === 'done' && transfer.pays)))
      return newest.code;
    if (transfer.pays) throw new Refusal('TRANSFER_PAYS_ALREADY');
    if (!transfer.canonical) throw new Refusal('TRANSFER_LEFT_CHAIN');
    if (!store.live) throw new Refusal('INVOICE_OF_TEST_STORE');
    if (invoice.completed) throw new Refusal('INVOICE_PAID');
    await requireBudget(tx, merchantAccountId, at);
    const code = createAttachmentCode();
    const asked = {
      code,
      merchantAccountId,
      storeId,
      transferId,
      invoiceId: invoice.id,
      askedBy: nameOfActor(actor),
      at,
    };
    if (!(await insertAttachment(tx, asked))) {
      const waiting = await findNewestAttachment(tx, transferId);
      if (waiting?.transId === transId) return waiting.code;
      throw new Refusal('ATTACHMENT_WAITS');
    }
    const { network, txId, index } = transfer;
    const notice = { store, template: 'payment-attached', at, data: { invoice: transId } } as const;
    await tellOwners(tx, { clock, jobs }, actor, notice);
    await recordAudit(tx, clock, actor, {
      action: 'transfer.ask',
      subject: `invoice:${transId}`,
      details: { attachment: code, network, txId, index, storeId: String(storeId) },
    });
    return code;
  });
}
