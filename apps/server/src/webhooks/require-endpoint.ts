import type { Queries } from '../db/database.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import type { WebhookEndpoint } from './webhook-endpoint-sql.ts';
import { findWebhookEndpoint } from './webhook-endpoint-sql.ts';

type NamedEndpoint = { store: StoreRef; endpoint: string };

/** A store's endpoint by its code. Deleted ones, and those of other stores, are unknown. */
export async function requireEndpoint(
  queries: Queries | Tx,
  { store, endpoint }: NamedEndpoint,
): Promise<WebhookEndpoint> {
  const found = await findWebhookEndpoint(queries, store.id, endpoint);
  if (!found) throw new Refusal('ENDPOINT_UNKNOWN', { endpoint });
  return found;
}

/** The same, if events are sent to it. */
export async function requireEnabledEndpoint(queries: Queries | Tx, named: NamedEndpoint): Promise<WebhookEndpoint> {
  const found = await requireEndpoint(queries, named);
  if (found.disabledAt !== null) throw new Refusal('ENDPOINT_DISABLED', { endpoint: named.endpoint });
  return found;
}
