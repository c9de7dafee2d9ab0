import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** The position of the check, and what it finds. */

export type Reached = { at: Date | 'beginning'; id: bigint };

/** Locks the position; undefined while another worker checks. */
export async function lockReached(tx: Tx): Promise<Reached | undefined> {
  const { rows } = await sql<{ reached: Date | null; id: bigint }>`
    select nullif(reached_at, '-infinity') as reached, reached_id as id from event_checks for update skip locked`.execute(
    tx,
  );
  const [row] = rows;
  return row && { at: row.reached ?? 'beginning', id: row.id };
}

export async function moveReached(tx: Tx, at: Date, id: bigint): Promise<void> {
  await tx.updateTable('event_checks').set({ reached_at: at, reached_id: id }).execute();
}

type EndedRow = { id: bigint; endedAt: Date };

/** Ended invoices with a callback URL in the order of ends, after a position and before a time. */
export async function readEnded(tx: Tx, after: Reached, before: Date, limit: number): Promise<EndedRow[]> {
  const from = after.at === 'beginning' ? '-infinity' : after.at;
  const { rows } = await sql<EndedRow>`
    select id, ended_at as "endedAt" from invoices
    where callback_url is not null and (ended_at, id) > (${from}::timestamptz, ${after.id}::bigint) and ended_at < ${before}
    order by ended_at, id limit ${limit}`.execute(tx);
  return rows;
}

type UntoldInvoice = {
  id: bigint;
  storeId: bigint;
  transId: string;
  requestId: string | null;
  callbackUrl: string | null;
  status: 'completed' | 'expired';
  late: boolean;
};

export async function findUntold(tx: Tx, ids: readonly bigint[]): Promise<UntoldInvoice[]> {
  const { rows } = await sql<UntoldInvoice>`
    select i.id, i.store_id as "storeId", i.trans_id as "transId", i.request_id as "requestId", i.callback_url as "callbackUrl",
      i.status, i.late
    from invoices i
    where i.id = any(${ids}::bigint[]) and i.status in ('completed', 'expired')
      and not exists (select from events e where e.invoice_id = i.id and e.type = 'invoice.' || i.status)
    order by i.id`.execute(tx);
  return rows;
}

type UnsentEvent = { eventId: string; storeId: bigint; transId: string; url: string };

export async function findUnsent(tx: Tx, ids: readonly bigint[]): Promise<UnsentEvent[]> {
  const { rows } = await sql<UnsentEvent>`
    select e.event_id as "eventId", e.store_id as "storeId", i.trans_id as "transId", i.callback_url as url
    from invoices i join events e on e.invoice_id = i.id
    where i.id = any(${ids}::bigint[]) and i.callback_url is not null and e.body is not null
      and not exists (select from deliveries d where d.event_row_id = e.id)
    order by e.id`.execute(tx);
  return rows;
}
