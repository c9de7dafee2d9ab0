import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { HAS_ENDPOINTS } from '../webhooks/subscription-sql.ts';
import type { InvoiceStatus } from './invoice.ts';
import { INVOICE_OF_MONEY } from './money-sql.ts';
import type { MoneyFacts, MoneyMatch } from './received-money.ts';
import { matchOfMoney } from './received-money.ts';

/** A transfer that arrived for an invoice and did not complete it, with what its event says of the invoice. */
export type ReceivedMoney = {
  transferId: bigint;
  invoiceId: bigint;
  storeId: bigint;
  transId: string;
  requestId: string | null;
  status: InvoiceStatus;
  late: boolean;
  network: string;
  txId: string;
  index: string;
  token: string;
  units: string;
  reason: string;
  match: MoneyMatch;
};

type MoneyRow = Omit<ReceivedMoney, 'match'> & MoneyFacts;

/** Facts of `matchOfMoney` about transfer `t` and the invoice of its `quote_id` or `invoice_id`. */
const MONEY_FACTS = sql`t.invoice_id is not null as attached, t.quote_id is not null as marked,
  exists (select from quotes n where n.id = t.quote_id and n.reference = any(t.reference_keys)) as named`;

/** Which of these transfers arrived for an invoice of a store with webhook endpoints, and did not complete it. */
export async function readReceivedMoney(tx: Tx, transferIds: readonly bigint[]): Promise<ReceivedMoney[]> {
  if (transferIds.length === 0) return [];
  const { rows } = await sql<MoneyRow>`
    select t.id as "transferId", i.id as "invoiceId", i.store_id as "storeId", i.trans_id as "transId",
      i.request_id as "requestId", i.status, v.late, t.network, t.tx_id as "txId", t.index, t.token, t.units::text as units,
      t.reason, ${MONEY_FACTS}
    from transfers t ${INVOICE_OF_MONEY} join invoices v on v.id = i.id
    where t.id = any(${transferIds}::bigint[]) and t.reason is not null and t.canonical and ${HAS_ENDPOINTS}
    order by i.id, t.height, t.id`.execute(tx);
  return rows.flatMap(({ attached, named, marked, ...row }) => {
    const match = matchOfMoney({ attached, named, marked });
    return match === undefined ? [] : [{ ...row, match }];
  });
}
