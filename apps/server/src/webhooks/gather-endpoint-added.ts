import type { Gatherer } from '../mail/gatherer.ts';
import { gatherStore } from '../stores/gather-store-notices.ts';
import { findEndpointUrl } from './endpoint-url-sql.ts';

export const gatherWebhookEndpointAdded: Gatherer<'webhook-endpoint-added'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  const url = await findEndpointUrl(context.database.queries, data['endpoint'] ?? '');
  return facts && url !== undefined ? { ...facts, url } : undefined;
};
