import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { askAttachment } from '../invoices/ask-attachment.ts';
import type { Attachment } from '../invoices/attachment-sql.ts';
import { findAttachment } from '../invoices/attachment-sql.ts';
import { dismissTransfer } from '../invoices/dismiss-transfer.ts';
import { restoreTransfer } from '../invoices/restore-transfer.ts';
import { storeOfInvoice } from '../invoices/store-of-invoice.ts';
import { listUnmatched } from '../invoices/unmatched-list-sql.ts';
import { requireVisibleStores } from '../invoices/require-visible-stores.ts';
import { sleep } from '../lib/loop.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { ROW_NUMBER, rowCursor } from './query-fields.ts';
import { PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute } from './route.ts';
import { viewTransfers } from './unmatched-views.ts';

/** Routes about unmatched payments: possible invoices, and members' decisions. */

const MAX_LOOKED = 2_500;
const MAX_CODE = 40;
const MAX_NOTE = 500;
/** Longest wait for a worker's decision. */
const MAX_WAIT_SECONDS = 3;
const POLL_MS = 100;

const unmatchedQuery = z.strictObject({
  after: rowCursor,
  store: z.string().max(MAX_CODE).optional(),
  dismissed: z.enum(['yes', 'no']).optional(),
});
const attachBody = z.strictObject({
  invoice: z.string().min(1).max(MAX_CODE),
  wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).optional(),
});
const dismissBody = z.strictObject({ note: z.string().trim().min(1).max(MAX_NOTE) });

/** A transfer's number in a path; malformed ones are unknown. */
function readTransferId(text: string): bigint {
  if (!ROW_NUMBER.test(text)) throw new Refusal('TRANSFER_UNKNOWN');
  return BigInt(text);
}

const viewAttachment = (one: Attachment) => ({
  attachment: one.code,
  transfer: String(one.transferId),
  invoice: one.transId,
  state: one.state,
  fault: one.fault,
  asked_at: unixSeconds(one.askedAt),
  decided_at: one.decidedAt && unixSeconds(one.decidedAt),
});

/** Waits for a worker's decision, within limits; returns the request. */
async function awaitDecision(
  { database, clock }: DashboardContext,
  merchantAccountId: bigint,
  code: string,
  waitSeconds: number,
): Promise<Attachment> {
  const untilMs = clock.nowMs() + waitSeconds * SECOND_MS;
  for (;;) {
    const attachment = await findAttachment(database.queries, merchantAccountId, code);
    if (!attachment) throw new Refusal('ATTACHMENT_UNKNOWN');
    if (attachment.state !== 'asked' || clock.nowMs() >= untilMs) return attachment;
    await sleep(POLL_MS, new AbortController().signal);
  }
}

const listRoute = personRoute(
  {
    method: 'GET',
    url: '/accounts/:account/unmatched',
    summary: 'List money that pays nothing',
    query: unmatchedQuery,
  },
  async ({ context, person, path: { account = '' }, query: { after: before, store: merchantId, dismissed } }) => {
    const asked = { merchantCode: account, permission: 'invoice.see', merchantId } as const;
    const { merchantAccountId, stores } = await requireVisibleStores(context, person, asked);
    const storeIds = [...stores.keys()];
    const choice = { merchantAccountId, storeIds, dismissed: dismissed === 'yes' };
    const page = { before, looked: MAX_LOOKED, limit: PAGE_ROWS + 1 };
    const found = await listUnmatched(context.views.queries, choice, page);
    const shown = found.transfers.slice(0, PAGE_ROWS);
    const next = found.transfers.length > PAGE_ROWS ? (shown.at(-1)?.id ?? null) : found.lookedTo;
    return {
      transfers: await viewTransfers(context, storeIds, shown),
      more: next !== null,
      next: next === null ? null : String(next),
    };
  },
);

const attachRoute = personRoute(
  {
    method: 'POST',
    url: '/accounts/:account/unmatched/:transfer/attach',
    summary: 'Have money pay an invoice',
    body: attachBody,
    held: 'wait',
  },
  async ({ context, person, path: { account = '', transfer = '' }, input: { invoice: transId, wait_seconds } }) => {
    const permission = 'transfer.attach';
    const transferId = readTransferId(transfer);
    const store = await storeOfInvoice(context, person, { merchantCode: account, transId, permission });
    const code = await askAttachment(context, person, { store, transferId, transId });
    const waitSeconds = wait_seconds ?? MAX_WAIT_SECONDS;
    return viewAttachment(await awaitDecision(context, store.merchantAccountId, code, waitSeconds));
  },
);

const attachmentRoute = personRoute(
  {
    method: 'GET',
    url: '/accounts/:account/attachments/:attachment',
    summary: 'What became of a request to have money pay an invoice',
  },
  async ({ context, person, path: { account = '', attachment: code = '' } }) => {
    const asked = { merchantCode: account, permission: 'invoice.see' } as const;
    const { merchantAccountId } = await requireMember(context, person, asked);
    const attachment = await findAttachment(context.views.queries, merchantAccountId, code);
    if (!attachment) throw new Refusal('ATTACHMENT_UNKNOWN');
    await storeOfInvoice(context, person, { ...asked, transId: attachment.transId });
    return viewAttachment(attachment);
  },
);

const dismissRoute = personRoute(
  {
    method: 'POST',
    url: '/accounts/:account/unmatched/:transfer/dismiss',
    summary: 'Put money aside that is for no invoice',
    body: dismissBody,
  },
  async ({ context, person, path: { account = '', transfer = '' }, input: { note } }) => {
    const asked = { merchantCode: account, permission: 'transfer.attach' } as const;
    const { merchantAccountId } = await requireMember(context, person, asked);
    const transferId = readTransferId(transfer);
    await dismissTransfer(context, person, { merchantAccountId, transferId, note });
  },
);

const restoreRoute = personRoute(
  {
    method: 'POST',
    url: '/accounts/:account/unmatched/:transfer/restore',
    summary: 'Take back that money was put aside',
    body: NOTHING,
  },
  async ({ context, person, path: { account = '', transfer = '' } }) => {
    const asked = { merchantCode: account, permission: 'transfer.attach' } as const;
    const { merchantAccountId } = await requireMember(context, person, asked);
    const transferId = readTransferId(transfer);
    await restoreTransfer(context, person, { merchantAccountId, transferId });
  },
);

export const unmatchedRoutes: readonly DashboardRoute[] = [
  listRoute,
  attachRoute,
  attachmentRoute,
  dismissRoute,
  restoreRoute,
];
