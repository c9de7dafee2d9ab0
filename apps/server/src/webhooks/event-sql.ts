import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { insertEndpointDeliveries } from './subscription-sql.ts';
import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';

type ToldInvoice = { id: bigint; storeId: bigint };

export type EventFacts = {
  invoiceId: bigint;
  /** How many events the invoice has so far. */
  events: number;
  /** How many of them tell of an end. */
  ends: number;
  /** How many of them tell that the invoice is processing. */
  processings: number;
  salt: Buffer;
};

/** The numbers and salt for each invoice's next event. */
export async function readEventFacts(tx: Tx, invoices: readonly ToldInvoice[]): Promise<Map<bigint, EventFacts>> {
  const { rows } = await sql<EventFacts>`
    select t.invoice_id as "invoiceId", e.events, e.ends, e.processings,
      (select m.event_salt from stores s join merchants m on m.id = s.merchant_account_id where s.id = t.store_id) as salt
    from ${unnestRows(invoices, 't', {
      invoice_id: ['bigint', ({ id }) => id],
      store_id: ['bigint', ({ storeId }) => storeId],
    })} cross join lateral (
      select count(*)::integer as events, (count(*) filter (where e.type in ('invoice.completed', 'invoice.expired')))::integer as ends,
        (count(*) filter (where e.type = 'invoice.processing'))::integer as processings
      from events e where e.invoice_id = t.invoice_id) e`.execute(tx);
  return new Map(rows.map((row) => [row.invoiceId, row]));
}

/** Which of these events are written. */
export async function findWrittenEvents(tx: Tx, eventIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ eventId: string }>`
    select event_id as "eventId" from events where event_id = any(${eventIds}::text[])`.execute(tx);
  return new Set(rows.map(({ eventId }) => eventId));
}

export type NewEvent = {
  eventId: string;
  storeId: bigint;
  invoiceId: bigint | null;
  sequence: number;
  type: InvoiceEventType;
  body: string;
  /** The callback URL that it is sent to, if any. */
  url: string | null;
  /** The webhook endpoints that it is sent to. */
  endpointIds: readonly bigint[];
};

/** Writes events with endpoints and deliveries, due now, with ids generated before the insert. */
export async function insertEvents(tx: Tx, events: readonly NewEvent[], at: Date): Promise<void> {
  if (events.length === 0) return;
  await insertEndpoints(tx, events);
  await insertWithCallbacks(tx, events, at);
  await insertEndpointDeliveries(tx, events, at);
}

async function insertWithCallbacks(tx: Tx, events: readonly NewEvent[], at: Date): Promise<void> {
  await sql`
    with told as materialized (
      select nextval('events_id_seq') as id, e.*
      from ${unnestRows(events, 'e', {
        event_id: ['text', (event) => event.eventId],
        store_id: ['bigint', (event) => event.storeId],
        invoice_id: ['bigint', (event) => event.invoiceId],
        sequence: ['integer', (event) => event.sequence],
        type: ['text', (event) => event.type],
        body: ['text', (event) => event.body],
        url: ['text', (event) => event.url],
      })}
    ), written as (
      insert into events (id, event_id, store_id, invoice_id, sequence, type, body, created_at)
      overriding system value
      select id, event_id, store_id, invoice_id, sequence, type, body, ${at} from told
    )
    insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at)
    select t.id, p.id, t.store_id, t.invoice_id, t.sequence, p.host, ${at}, ${at}
    from told t join endpoints p on p.store_id = t.store_id and p.url = t.url`.execute(tx);
}

/** Writes a delivery, due now, for each event without one. */
export async function insertDeliveries(
  tx: Tx,
  events: readonly { eventId: string; storeId: bigint; url: string }[],
  at: Date,
): Promise<void> {
  if (events.length === 0) return;
  await insertEndpoints(tx, events);
  await sql`
    insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at)
    select e.id, p.id, e.store_id, e.invoice_id, e.sequence, p.host, ${at}, ${at}
    from ${unnestRows(events, 'u', { event_id: ['text', ({ eventId }) => eventId], url: ['text', ({ url }) => url] })}
      join events e on e.event_id = u.event_id join endpoints p on p.store_id = e.store_id and p.url = u.url`.execute(
    tx,
  );
}

/** A separate statement, so that the next one sees the endpoints; in order, to avoid deadlocks. */
async function insertEndpoints(tx: Tx, events: readonly { storeId: bigint; url: string | null }[]): Promise<void> {
  const named = new Map(
    events.flatMap(({ storeId, url }) => (url === null ? [] : [[`${storeId} ${url}`, { storeId, url }] as const])),
  );
  const endpoints = [...named.values()];
  if (endpoints.length === 0) return;
  await sql`
    insert into endpoints (store_id, url, host)
    select store_id, url, host
    from ${unnestRows(endpoints, 'p', {
      store_id: ['bigint', (one) => one.storeId],
      url: ['text', (one) => one.url],
      host: ['text', (one) => hostOf(one.url)],
    })}
    order by store_id, url
    on conflict (store_id, url) do nothing`.execute(tx);
}

/** The host for caps: name and port, without trailing dot. Malformed URLs are refused when sent to. */
export function hostOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname, port } = new URL(url);
  const name = hostname.replace(/\.$/, '');
  return port === '' ? name : `${name}:${port}`;
}
