import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { hostOf } from './event-sql.ts';

type NewEndpoint = { storeId: bigint; code: string; url: string; types: readonly InvoiceEventType[] };

/** Inserts an endpoint in a free place of its store, which the caller holds. Undefined if there is none. */
export async function insertWebhookEndpoint(
  tx: Tx,
  { storeId, code, url, types }: NewEndpoint,
  at: Date,
): Promise<bigint | undefined> {
  const { rows } = await sql<{ place: number }>`
    select n as place from generate_series(1, 10) n where not exists (
      select from webhook_endpoints w where w.store_id = ${storeId} and w.place = n and w.deleted_at is null)
    order by n limit 1`.execute(tx);
  const [free] = rows;
  if (!free) return undefined;
  // A statement of its own: row security sees only endpoints from before a statement.
  const inserted = await sql<{ id: bigint }>`
    insert into endpoints (store_id, url, host) values (${storeId}, ${code}, ${hostOf(url)}) returning id`.execute(tx);
  const id = inserted.rows[0]?.id;
  if (id === undefined) throw new Error('An inserted endpoint has no id.');
  await sql`
    insert into webhook_endpoints (endpoint_id, store_id, code, url, types, place, created_at, effective_at)
    values (${id}, ${storeId}, ${code}, ${url}, ${types}::text[], ${free.place}, ${at}, ${at})`.execute(tx);
  return id;
}

export type WebhookEndpoint = {
  id: bigint;
  code: string;
  url: string;
  types: InvoiceEventType[];
  disabledAt: Date | null;
};

/** An endpoint of a store that is not deleted. */
export async function findWebhookEndpoint(
  queries: Queries | Tx,
  storeId: bigint,
  code: string,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await sql<WebhookEndpoint>`
    select endpoint_id as id, code, url, types, disabled_at as "disabledAt" from webhook_endpoints
    where store_id = ${storeId} and code = ${code} and deleted_at is null`.execute(queries);
  return rows[0];
}

export async function setEndpointTypes(
  tx: Tx,
  endpointId: bigint,
  types: readonly InvoiceEventType[],
  at: Date,
): Promise<void> {
  await sql`
    update webhook_endpoints set types = ${types}::text[], effective_at = ${at} where endpoint_id = ${endpointId}`.execute(
    tx,
  );
}

export async function enableEndpoint(tx: Tx, endpointId: bigint, at: Date): Promise<void> {
  await sql`
    update webhook_endpoints set disabled_at = null, draining = false, effective_at = ${at}
    where endpoint_id = ${endpointId}`.execute(tx);
}

/** Ends what is sent to an endpoint from now on; a worker ends its pending deliveries. */
export async function disableEndpoint(
  tx: Tx,
  endpointId: bigint,
  { at, deleted }: { at: Date; deleted: boolean },
): Promise<void> {
  await sql`
    update webhook_endpoints set disabled_at = coalesce(disabled_at, ${at}), draining = true,
      deleted_at = case when ${deleted}::boolean then ${at}::timestamptz end
    where endpoint_id = ${endpointId}`.execute(tx);
}
