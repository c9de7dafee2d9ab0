import type { Database } from '../../src/db/database.ts';

/** Events, deliveries and attempts as rows, where a test needs many of them and nothing is sent. */

export type MadeDelivery = {
  url?: string;
  type?: 'invoice.expired' | 'webhook.test';
  state?: 'pending' | 'delivered' | 'failed';
  /** The status of the only attempt; null for one without an answer, undefined for none at all. */
  status?: number | null;
  at?: Date;
  body?: string;
  error?: string;
  excerpt?: string;
};

let made = 0;

/** Inserts an event of a store with one delivery; returns the event's id. */
export async function makeEvent(
  { pool }: Database,
  storeId: bigint,
  { url = 'https://shop.example/hook', state = 'delivered', status, at = new Date(), ...more }: MadeDelivery = {},
): Promise<string> {
  made += 1;
  const eventId = `evt_rig${process.pid}x${made}`;
  const { type = 'webhook.test', body = '{}', error = null, excerpt = null } = more;
  await pool.query(
    `with invoice as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       select $2, 'TID-' || lpad($9::bigint::text, 16, '0'), 5, $6::timestamptz, $6::timestamptz + interval '1 hour', 0 where $3::text <> 'webhook.test' returning id),
     event as (
       insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
       values ($1, $2, (select id from invoice), 1, $3::text, $4, $6::timestamptz) returning id, invoice_id),
     endpoint as (
       insert into endpoints (store_id, url, host) values ($2, $5, 'shop.example')
       on conflict (store_id, url) do update set host = excluded.host returning id),
     delivery as (
       insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, attempts, next_attempt_at, created_at)
       select event.id, endpoint.id, $2, event.invoice_id, 1, 'shop.example', $7, case when $8::boolean then 1 else 0 end, $6::timestamptz, $6::timestamptz
       from event, endpoint returning id)
     insert into attempts (at, delivery_id, number, duration_ms, status, error, request_headers, response_excerpt)
     select $6::timestamptz, id, 1, 7, $10, $11, '{}', $12 from delivery where $8::boolean`,
    [
      eventId,
      storeId,
      type,
      body,
      url,
      at,
      state,
      status !== undefined,
      process.pid * 1_000_000 + made,
      status ?? null,
      error,
      excerpt,
    ],
  );
  return eventId;
}
