import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { CellRig, Cells } from './cells.ts';

/** What the matrix needs for routes about money that pays nothing. */

let transId = '';

async function newTransfer({ site, store }: CellRig, route: string): Promise<string> {
  const quoted = await quoteInvoice(site.database, store, '50');
  ({ transId } = quoted);
  const transfer = await receiveUnmatched(site.database, quoted.to, { amount: '49', quoteId: quoted.quoteId });
  if (route.endsWith('/restore'))
    await site.database.pool.query(
      `insert into dismissed_transfers (transfer_id, merchant_account_id, note, dismissed_by, dismissed_at)
       values ($1, $2, 'spam', 'cli:test', now())`,
      [transfer, store.merchantAccountId],
    );
  return transfer;
}

/** A request that a member left, which no worker has looked at. */
async function newAttachment(rig: CellRig, route: string): Promise<string> {
  const transfer = await newTransfer(rig, route);
  const { rows } = await rig.site.database.pool.query<{ code: string }>(
    `insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, asked_by, asked_at, next_try_at)
     select 'ATT-' || $1, $2, i.store_id, $1::bigint, i.id, 'person:PER-1', now(), now() from invoices i where i.trans_id = $3
     returning code`,
    [transfer, rig.store.merchantAccountId, transId],
  );
  return rows[0]?.code ?? '';
}

export const unmatchedCells: Cells = {
  bodies: {
    // No worker runs here: waiting for one would only take time.
    'POST /accounts/:account/unmatched/:transfer/attach': () => ({ invoice: transId, wait_seconds: 0 }),
    'POST /accounts/:account/unmatched/:transfer/dismiss': () => ({ note: '<b>spam</b>' }),
  },
  parts: { ':transfer': newTransfer, ':attachment': newAttachment },
  tables: ['attachments', 'dismissed_transfers', 'transfers', 'invoices'],
};
