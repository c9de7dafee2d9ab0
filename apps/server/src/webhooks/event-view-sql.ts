import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { DeliveryState } from './delivery-list-sql.ts';
import type { EventType } from '@counterfoil/core/event-type.ts';

/** The public code of an event's store, if it is this merchant's. */
export async function findStoreOfEvent(
  queries: Queries,
  merchantAccountId: bigint,
  eventId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ merchantId: string }>`
    select s.merchant_id as "merchantId" from events e join stores s on s.id = e.store_id
    where e.event_id = ${eventId} and s.merchant_account_id = ${merchantAccountId}`.execute(queries);
  return rows[0]?.merchantId;
}

type ShownEvent = {
  id: bigint;
  type: EventType;
  sequence: number;
  /** Null once erased. */
  body: string | null;
  createdAt: Date;
  /** Null for a test event. */
  transId: string | null;
};

export async function findEvent(queries: Queries, storeId: bigint, eventId: string): Promise<ShownEvent | undefined> {
  const { rows } = await sql<ShownEvent>`
    select e.id, e.type, e.sequence, e.body, e.created_at as "createdAt", i.trans_id as "transId"
    from events e left join invoices i on i.id = e.invoice_id
    where e.event_id = ${eventId} and e.store_id = ${storeId}`.execute(queries);
  return rows[0];
}

type ShownDelivery = {
  id: bigint;
  url: string;
  /** The code of the webhook endpoint; null for a callback URL. */
  endpoint: string | null;
  /** Whether the endpoint can be sent to. */
  enabled: boolean;
  state: DeliveryState;
  byHand: boolean;
  createdAt: Date;
  nextAttemptAt: Date;
};

export async function listDeliveriesOfEvent(
  queries: Queries,
  eventRowId: bigint,
  limit: number,
): Promise<ShownDelivery[]> {
  const { rows } = await sql<ShownDelivery>`
    select d.id, coalesce(w.url, p.url) as url, w.code as endpoint, w.disabled_at is null as enabled, d.state, d.by_hand as "byHand", d.created_at as "createdAt", d.next_attempt_at as "nextAttemptAt"
    from deliveries d join endpoints p on p.id = d.endpoint_id left join webhook_endpoints w on w.endpoint_id = p.id
    where d.event_row_id = ${eventRowId} order by d.id desc limit ${limit}`.execute(queries);
  return rows;
}

type ShownAttempt = {
  deliveryId: bigint;
  number: number;
  at: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  excerpt: string | null;
};

export async function listAttemptsOf(
  queries: Queries,
  deliveryIds: readonly bigint[],
  perDelivery: number,
): Promise<ShownAttempt[]> {
  const { rows } = await sql<ShownAttempt>`
    select d.id as "deliveryId", a.number, a.at, a.duration_ms as "durationMs", a.status, a.error, a.response_excerpt as excerpt
    from unnest(${deliveryIds}::bigint[]) d (id) cross join lateral (
      select a.* from attempts a where a.delivery_id = d.id order by a.number desc, a.at desc limit ${perDelivery}) a
    order by d.id desc, a.number desc, a.at desc`.execute(queries);
  return rows;
}
