import { CALLBACK_EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { HAS_ENDPOINTS } from '../webhooks/subscription-sql.ts';

/** The position of the check, and what it finds. */

/** How far the clocks of two processes may differ. */
const CLOCKS_DIFFER_SECONDS = 60;

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

/**
 * Ended invoices with a callback URL, or of a store with webhook endpoints, in the order of ends, after a position and
 * before a time. Without webhook endpoints, the others are not read.
 */
export async function readEnded(tx: Tx, after: Reached, before: Date, limit: number): Promise<EndedRow[]> {
  const from = after.at === 'beginning' ? '-infinity' : after.at;
  const isNext = sql`(i.ended_at, i.id) > (${from}::timestamptz, ${after.id}::bigint) and i.ended_at < ${before}`;
  const enabled = sql`from webhook_endpoints where disabled_at is null`;
  const { rows } = await sql<EndedRow>`
    select id, ended_at as "endedAt" from (
      (select i.id, i.ended_at from invoices i where i.callback_url is not null and ${isNext}
        order by i.ended_at, i.id limit ${limit})
      union all
      (select i.id, i.ended_at from invoices i where (select exists (select ${enabled})) and i.callback_url is null
          and i.store_id in (select store_id ${enabled}) and ${isNext}
        order by i.ended_at, i.id limit ${limit})) e
    order by ended_at, id limit ${limit}`.execute(tx);
  return rows;
}

/** Webhook endpoints `w` that had the type of event for a while when it was written: clocks differ. */
const SUBSCRIBED = (storeId: string, type: string, at: string) => sql`
  w.store_id = ${sql.ref(storeId)} and w.disabled_at is null and ${sql.raw(type)} = any(w.types)
    and w.effective_at + make_interval(secs => ${CLOCKS_DIFFER_SECONDS}::integer) < ${sql.ref(at)}`;

type UntoldInvoice = {
  id: bigint;
  storeId: bigint;
  transId: string;
  requestId: string | null;
  callbackUrl: string | null;
  status: 'completed' | 'expired';
  late: boolean;
  hasEndpoints: boolean;
};

export async function findUntold(tx: Tx, ids: readonly bigint[]): Promise<UntoldInvoice[]> {
  const { rows } = await sql<UntoldInvoice>`
    select i.id, i.store_id as "storeId", i.trans_id as "transId", i.request_id as "requestId", i.callback_url as "callbackUrl",
      i.status, i.late, ${HAS_ENDPOINTS} as "hasEndpoints"
    from invoices i
    where i.id = any(${ids}::bigint[]) and i.status in ('completed', 'expired')
      and not exists (select from events e where e.invoice_id = i.id and e.type = 'invoice.' || i.status)
      and (i.callback_url is not null
        or exists (select from webhook_endpoints w where ${SUBSCRIBED('i.store_id', "'invoice.' || i.status", 'i.ended_at')}))
    order by i.id`.execute(tx);
  return rows;
}

export type UnsentEvent = {
  eventId: string;
  storeId: bigint;
  transId: string;
  /** The callback URL that it was not sent to; null for a webhook endpoint. */
  url: string | null;
  endpointId: bigint | null;
};

/** Events of invoices with a receiver that has no delivery. */
export async function findUnsent(tx: Tx, ids: readonly bigint[]): Promise<UnsentEvent[]> {
  const { rows } = await sql<UnsentEvent>`
    select e.event_id as "eventId", e.store_id as "storeId", i.trans_id as "transId", r.url, r.endpoint_id as "endpointId"
    from invoices i join events e on e.invoice_id = i.id cross join lateral (
      select i.callback_url as url, null::bigint as endpoint_id
      where i.callback_url is not null and e.type = any(${CALLBACK_EVENT_TYPES}::text[]) and not exists (
        select from deliveries d where d.event_row_id = e.id
          and not exists (select from webhook_endpoints w where w.endpoint_id = d.endpoint_id))
      union all
      select null, w.endpoint_id from webhook_endpoints w where ${SUBSCRIBED('i.store_id', 'e.type', 'e.created_at')}
        and not exists (select from deliveries d where d.event_row_id = e.id and d.endpoint_id = w.endpoint_id)) r
    where i.id = any(${ids}::bigint[]) and e.body is not null
    order by e.id, r.endpoint_id nulls first`.execute(tx);
  return rows;
}
