import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { InvoiceStatus } from './invoice.ts';
import type { NamedTransfer } from './lock-reader.ts';

/** SQL for ending an invoice manually: the deciding facts, and the list of stuck invoices. */

export type StandingPayment = NamedTransfer & {
  transferId: bigint;
  /** Whether the payment's network is retired or its exchange account removed. */
  retired: boolean;
};

export type EndFacts = {
  id: bigint;
  storeId: bigint;
  status: InvoiceStatus;
  /** Payments in a chain that would pay the invoice, in chain order. */
  payments: StandingPayment[];
};

type EndRow = Omit<EndFacts, 'payments'> & Omit<StandingPayment, 'transferId'> & { transferId: bigint | null };

export async function readEndFacts(queries: Queries | Tx, transId: string): Promise<EndFacts | undefined> {
  const { rows } = await sql<EndRow>`
    select i.id, i.store_id as "storeId", i.status, t.id as "transferId", t.network, t.tx_id as "txId", t.index,
      h.retired_at is not null or x.removed_at is not null as retired
    from invoices i
      left join transfers t on t.invoice_id = i.id and t.canonical and t.reason is null
      left join chains h on h.network = t.network
      left join exchange_accounts x on x.network = t.network and x.account = t.to_address
    where i.trans_id = ${transId} order by t.height, t.id`.execute(queries);
  const [first] = rows;
  if (!first) return undefined;
  const payments = rows.flatMap(({ transferId, network, txId, index, retired }) =>
    transferId === null ? [] : [{ transferId, network, txId, index, retired }],
  );
  return { id: first.id, storeId: first.storeId, status: first.status, payments };
}

export type StuckInvoice = NamedTransfer & { transId: string; expiresAt: Date; frozen: boolean; retired: boolean };

/** Processing invoices of live stores past their end, with the payment that each waits for. */
export async function listStuck(queries: Queries, now: Date, limit: number): Promise<StuckInvoice[]> {
  const { rows } = await sql<StuckInvoice>`
    select i.trans_id as "transId", i.expires_at as "expiresAt", t.network, t.tx_id as "txId", t.index,
      h.frozen_at is not null as frozen, h.retired_at is not null or x.removed_at is not null as retired
    from invoices i join stores s on s.id = i.store_id and s.live
      join transfers t on t.invoice_id = i.id and t.canonical and t.reason is null
      join chains h on h.network = t.network
      left join exchange_accounts x on x.network = t.network and x.account = t.to_address
    where i.status = 'processing' and i.expires_at < ${now}
    order by i.id, t.height, t.id limit ${limit}`.execute(queries);
  return rows;
}
