import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { AttachmentState, QuotedAmount } from './attachment.ts';
import { BELONGS } from '../people/membership-sql.ts';
import { IS_SEEN } from '../stores/member-store-sql.ts';
import { INVOICE_OF_MONEY } from './money-sql.ts';

export async function listStoresOfInvoices(
  queries: Queries,
  merchantAccountId: bigint,
  transIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ merchantId: string }>`
    select distinct s.merchant_id as "merchantId" from invoices i join stores s on s.id = i.store_id
    where i.trans_id = any(${transIds}::text[]) and s.merchant_account_id = ${merchantAccountId}`.execute(queries);
  return rows.map(({ merchantId }) => merchantId);
}

type OwnTransfer = { network: string; txId: string; index: string; pays: boolean; canonical: boolean };

/** Transfers of a merchant's stores that one of `reached` sees (rows as REACHED and BELONGS have them). */
type TransferScope = { reached: RawBuilder<unknown>; merchantAccountId: bigint };

/**
 * A transfer to a visible store's address, not in the sandbox. Stores may share an address: a transfer that pays or was
 * meant for an invoice belongs to that invoice's store alone.
 */
export async function findOwnTransfer(
  tx: Tx,
  { reached, merchantAccountId }: TransferScope,
  transferId: bigint,
): Promise<OwnTransfer | undefined> {
  const isSeen = (storeId: RawBuilder<unknown>) => IS_SEEN(reached, merchantAccountId, storeId);
  const { rows } = await sql<OwnTransfer>`
    select t.network, t.tx_id as "txId", t.index, t.invoice_id is not null and t.reason is null as pays, t.canonical
    from transfers t ${INVOICE_OF_MONEY}
    where t.id = ${transferId} and not starts_with(t.network, ${SANDBOX_PREFIX})
      and exists (select from wallets w where w.network = t.network and w.address = t.to_address and ${isSeen(sql`w.store_id`)})
      and (i.id is null or ${isSeen(sql`i.store_id`)})`.execute(tx);
  return rows[0];
}

type InvoiceFacts = { id: bigint; completed: boolean };

export async function findInvoiceOfStore(tx: Tx, storeId: bigint, transId: string): Promise<InvoiceFacts | undefined> {
  const { rows } = await sql<InvoiceFacts>`
    select id, status = 'completed' as completed from invoices
    where trans_id = ${transId} and store_id = ${storeId}`.execute(tx);
  return rows[0];
}

export type Attachment = {
  code: string;
  state: AttachmentState;
  fault: string | null;
  transferId: bigint;
  transId: string;
  askedAt: Date;
  decidedAt: Date | null;
};

const FIELDS = sql`a.code, a.state, a.fault, a.transfer_id as "transferId", i.trans_id as "transId", a.asked_at as "askedAt",
  a.decided_at as "decidedAt"`;

export async function findNewestAttachment(tx: Tx, transferId: bigint): Promise<Attachment | undefined> {
  const { rows } = await sql<Attachment>`
    select ${FIELDS} from attachments a join invoices i on i.id = a.invoice_id
    where a.transfer_id = ${transferId} order by a.id desc limit 1`.execute(tx);
  return rows[0];
}

export async function findAttachment(
  queries: Queries,
  merchantAccountId: bigint,
  code: string,
): Promise<Attachment | undefined> {
  const { rows } = await sql<Attachment>`
    select ${FIELDS} from attachments a join invoices i on i.id = a.invoice_id
    where a.code = ${code} and a.merchant_account_id = ${merchantAccountId}`.execute(queries);
  return rows[0];
}

/** Counts the requests of a merchant since a moment, at most `limit`. */
export async function countAttachments(tx: Tx, merchantAccountId: bigint, since: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from attachments where merchant_account_id = ${merchantAccountId} and asked_at > ${since} limit ${limit}) a`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

type NewAttachment = {
  code: string;
  merchantAccountId: bigint;
  storeId: bigint;
  transferId: bigint;
  invoiceId: bigint;
  askedBy: string;
  at: Date;
};

/** Inserts a request; false when another one about the transfer is undecided. */
export async function insertAttachment(tx: Tx, asked: NewAttachment): Promise<boolean> {
  const { rows } = await sql`
    insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, asked_by, asked_at, next_try_at)
    values (${asked.code}, ${asked.merchantAccountId}, ${asked.storeId}, ${asked.transferId}, ${asked.invoiceId}, ${asked.askedBy},
      ${asked.at}, ${asked.at})
    on conflict (transfer_id) where state = 'asked' do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

type AskedOf = { merchantAccountId: bigint; storeId: bigint };

/** A person's role at a merchant, if they still see the store. */
export async function findAskerRole(
  tx: Tx,
  personCode: string,
  { merchantAccountId, storeId }: AskedOf,
): Promise<string | undefined> {
  const { rows } = await sql<{ role: string }>`
    select m.role from ${BELONGS(personCode)} m
    where m.merchant_account_id = ${merchantAccountId}
      and ${IS_SEEN(BELONGS(personCode), merchantAccountId, sql`${storeId}::bigint`)}`.execute(tx);
  return rows[0]?.role;
}

/** The quotes of a top-up's invoice; undefined for other invoices. */
export async function readTopupQuotes(tx: Tx, invoiceId: bigint): Promise<QuotedAmount[] | undefined> {
  const { rows } = await sql<QuotedAmount & { network: string | null }>`
    select q.network, q.token, q.display_units as "displayUnits"
    from invoices i join topups p on p.code = i.request_id and p.at_store_id = i.store_id left join quotes q on q.invoice_id = i.id
    where i.id = ${invoiceId}`.execute(tx);
  return rows.length === 0 ? undefined : rows.filter((row) => row.network !== null);
}

export type DueAttachment = {
  id: bigint;
  code: string;
  askedBy: string;
  tries: number;
  transId: string;
  network: string;
  txId: string;
  index: string;
};

export async function listDueAttachments(queries: Queries, now: Date, limit: number): Promise<DueAttachment[]> {
  const { rows } = await sql<DueAttachment>`
    select a.id, a.code, a.asked_by as "askedBy", a.tries, i.trans_id as "transId", t.network, t.tx_id as "txId", t.index
    from (select * from attachments where state = 'asked' and next_try_at <= ${now} order by next_try_at, id limit ${limit}) a
      join invoices i on i.id = a.invoice_id join transfers t on t.id = a.transfer_id
    order by a.next_try_at, a.id`.execute(queries);
  return rows;
}

/** Locks a pending request; false when it was decided or another worker has it. */
export async function lockAsked(tx: Tx, id: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from attachments where id = ${id} and state = 'asked' for update skip locked`.execute(tx);
  return rows.length > 0;
}

type Decided = { state: Exclude<AttachmentState, 'asked'>; at: Date; fault?: string };

export async function decideAttachment(tx: Tx, id: bigint, { state, at, fault }: Decided): Promise<void> {
  await sql`
    update attachments set state = ${state}, decided_at = ${at}, fault = ${fault ?? null}
    where id = ${id} and state = 'asked'`.execute(tx);
}

export async function postponeAttachment(tx: Tx, id: bigint, tries: number, until: Date): Promise<void> {
  await sql`update attachments set tries = ${tries}, next_try_at = ${until} where id = ${id} and state = 'asked'`.execute(
    tx,
  );
}
