import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** Which webhook endpoints receive which events. */

/** Whether the store of row `i` has webhook endpoints that are enabled. */
export const HAS_ENDPOINTS = sql`exists (
  select from webhook_endpoints w where w.store_id = i.store_id and w.disabled_at is null and w.deleted_at is null)`;

type Subscription = { storeId: bigint; endpointId: bigint; types: InvoiceEventType[] };

/** The enabled webhook endpoints of stores. */
export async function readSubscriptions(tx: Tx, storeIds: readonly bigint[]): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select store_id as "storeId", endpoint_id as "endpointId", types from webhook_endpoints
    where store_id = any(${storeIds}::bigint[]) and disabled_at is null and deleted_at is null
    order by endpoint_id`.execute(tx);
  return rows;
}

/** Writes a delivery to a webhook endpoint, due now, of each event. The events are written already. */
export async function insertEndpointDeliveries(
  tx: Tx,
  events: readonly { eventId: string; endpointIds: readonly bigint[] }[],
  at: Date,
): Promise<void> {
  const pairs = events.flatMap(({ eventId, endpointIds }) =>
    endpointIds.map((endpointId) => ({ eventId, endpointId })),
  );
  if (pairs.length === 0) return;
  await sql`
    insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at)
    select e.id, p.id, e.store_id, e.invoice_id, e.sequence, p.host, ${at}, ${at}
    from unnest(${pairs.map(({ eventId }) => eventId)}::text[], ${pairs.map(({ endpointId }) => endpointId)}::bigint[])
        as n (event_id, endpoint_id)
      join events e on e.event_id = n.event_id join endpoints p on p.id = n.endpoint_id and p.store_id = e.store_id
    order by e.id, p.id`.execute(tx);
}
