import { ENDPOINT_EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { z } from 'zod';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { unixSeconds } from '../lib/clock.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { addWebhookEndpoint } from '../webhooks/add-webhook-endpoint.ts';
import { changeWebhookEndpoint, deleteWebhookEndpoint } from '../webhooks/change-webhook-endpoint.ts';
import type { ListedEndpoint } from '../webhooks/endpoint-list-sql.ts';
import { listWebhookEndpoints } from '../webhooks/endpoint-list-sql.ts';
import { revealEndpointSecret, rotateEndpointSecret } from '../webhooks/rotate-endpoint-secret.ts';
import { sendTestEvent } from '../webhooks/send-test-event.ts';
import { MAX_ENDPOINT_URL, MAX_ENDPOINTS } from '../webhooks/webhook-endpoint.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { renewal } from './key-routes.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute } from './route.ts';

/** Routes about the webhook endpoints of a store. */

const BASE = '/accounts/:account/stores/:store/endpoints';
const ONE = `${BASE}/:endpoint`;

const types = z
  .array(z.enum(ENDPOINT_EVENT_TYPES))
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'must be distinct');
const newEndpoint = z.strictObject({ url: z.string().max(MAX_ENDPOINT_URL), types });
const change = z.union([z.strictObject({ types }), z.strictObject({ enabled: z.boolean() })]);

type Called = { context: DashboardContext; person: Person; path: Readonly<Record<string, string>> };
type Needed = 'delivery.see' | 'delivery.use' | 'webhook_secret.use';

function storeOf({ context, person, path }: Called, permission: Needed): Promise<StoreRef> {
  const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '', permission };
  return storeForMember(context, person, asked);
}

async function namedBy(called: Called, permission: Needed): Promise<{ store: StoreRef; endpoint: string }> {
  return { store: await storeOf(called, permission), endpoint: called.path['endpoint'] ?? '' };
}

const secondsOf = (at: Date | null) => at && unixSeconds(at);

const viewEndpoint = (one: ListedEndpoint) => ({
  endpoint: one.code,
  url: one.url,
  types: one.types,
  created_at: unixSeconds(one.createdAt),
  disabled_at: secondsOf(one.disabledAt),
  failing_since: secondsOf(one.failingSince),
  old_secret_ends_at: secondsOf(one.oldSecretEndsAt),
});

const listRoute = personRoute(
  { method: 'GET', url: BASE, summary: 'List the webhook endpoints of a store' },
  async (called) => {
    const store = await storeOf(called, 'delivery.see');
    const at = new Date(called.context.clock.nowMs());
    const endpoints = await listWebhookEndpoints(called.context.views.queries, store.id, at);
    return { endpoints: endpoints.map(viewEndpoint), most: MAX_ENDPOINTS };
  },
);

const addRoute = personRoute(
  { method: 'POST', url: BASE, summary: 'Add a webhook endpoint', body: newEndpoint },
  async (called) => {
    const store = await storeOf(called, 'webhook_secret.use');
    const { endpoint, secret } = await addWebhookEndpoint(called.context, called.person, { store, ...called.input });
    return { endpoint, webhook_secret: secret };
  },
);

const changeRoute = personRoute(
  {
    method: 'PATCH',
    url: ONE,
    summary: 'Change the events of a webhook endpoint, or disable or enable it',
    body: change,
  },
  async (called) => {
    const named = await namedBy(called, 'webhook_secret.use');
    await changeWebhookEndpoint(called.context, called.person, { ...named, change: called.input });
  },
);

const deleteRoute = personRoute(
  { method: 'DELETE', url: ONE, summary: 'Delete a webhook endpoint' },
  async (called) => {
    await deleteWebhookEndpoint(called.context, called.person, await namedBy(called, 'webhook_secret.use'));
  },
);

const revealRoute = personRoute(
  { method: 'POST', url: `${ONE}/secret/reveal`, summary: 'Copy the secret of a webhook endpoint', body: NOTHING },
  async (called) => {
    const named = await namedBy(called, 'webhook_secret.use');
    return { webhook_secret: await revealEndpointSecret(called.context, called.person, named) };
  },
);

const rotateRoute = personRoute(
  { method: 'POST', url: `${ONE}/secret`, summary: 'Give a webhook endpoint a new secret', body: renewal },
  async (called) => {
    const asked = { ...(await namedBy(called, 'webhook_secret.use')), overlapHours: called.input.overlap_hours };
    return { webhook_secret: await rotateEndpointSecret(called.context, called.person, asked) };
  },
);

const testRoute = personRoute(
  { method: 'POST', url: `${ONE}/test`, summary: 'Send a test event to a webhook endpoint', body: NOTHING },
  async (called) => {
    const named = await namedBy(called, 'delivery.use');
    return { event: await sendTestEvent(called.context, called.person, named) };
  },
);

export const endpointRoutes: readonly DashboardRoute[] = [
  listRoute,
  addRoute,
  changeRoute,
  deleteRoute,
  revealRoute,
  rotateRoute,
  testRoute,
];
