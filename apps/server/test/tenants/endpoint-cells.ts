import { systemClock } from '../../src/lib/clock.ts';
import { addWebhookEndpoint } from '../../src/webhooks/add-webhook-endpoint.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { CellRig, Cells } from './cells.ts';

/** What the matrix needs for routes about webhook endpoints. */

const ENDPOINTS = '/accounts/:account/stores/:store/endpoints';
const URL_OF_SHOP = 'https://shop.example/endpoint';

/** A new endpoint for each call; those of earlier calls make room. */
async function makeEndpoint({ site: { database }, store }: CellRig): Promise<string> {
  await database.pool.query(
    'update webhook_endpoints set disabled_at = now(), deleted_at = now() where store_id = $1 and deleted_at is null',
    [store.id],
  );
  const context = { database, clock: systemClock, ring: store.ring, jobs: undefined, privateCallbacks: false };
  const asked = { store: store.ref, url: URL_OF_SHOP, types: ['invoice.completed' as const] };
  return (await addWebhookEndpoint(context, TESTER, asked)).endpoint;
}

export const endpointCells: Cells = {
  bodies: {
    [`POST ${ENDPOINTS}`]: () => ({ url: URL_OF_SHOP, types: ['invoice.completed'] }),
    [`PATCH ${ENDPOINTS}/:endpoint`]: () => ({ types: ['invoice.expired'] }),
    [`POST ${ENDPOINTS}/:endpoint/secret`]: () => ({ overlap_hours: 0 }),
  },
  parts: { ':endpoint': makeEndpoint },
  tables: ['webhook_endpoints', 'webhook_endpoint_secrets'],
};
