import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { MAX_ENDPOINTS } from './webhook-endpoint.ts';
import type { WebhookEndpoint } from './webhook-endpoint-sql.ts';

export type ListedEndpoint = WebhookEndpoint & {
  createdAt: Date;
  /** Since when no attempt has succeeded; null when the latest one did, or none was made. */
  failingSince: Date | null;
  /** When an earlier secret stops signing; null when only one signs. */
  oldSecretEndsAt: Date | null;
};

/** A store's endpoints that are not deleted, oldest first. */
export async function listWebhookEndpoints(queries: Queries, storeId: bigint, at: Date): Promise<ListedEndpoint[]> {
  const { rows } = await sql<ListedEndpoint>`
    select w.endpoint_id as id, w.code, w.url, w.types, w.disabled_at as "disabledAt", w.created_at as "createdAt",
      case when w.disabled_at is null and p.failures > 0 then p.failing_since end as "failingSince",
      (select max(s.expires_at) from webhook_endpoint_secrets s
        where s.endpoint_id = w.endpoint_id and s.expires_at > ${at} and s.expires_at < 'infinity') as "oldSecretEndsAt"
    from webhook_endpoints w join endpoints p on p.id = w.endpoint_id
    where w.store_id = ${storeId} and w.deleted_at is null
    order by w.endpoint_id limit ${MAX_ENDPOINTS}`.execute(queries);
  return rows;
}
