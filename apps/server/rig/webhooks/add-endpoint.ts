import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { ENDPOINT_EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { addWebhookEndpoint } from '../../src/webhooks/add-webhook-endpoint.ts';
import type { TestStore } from '../stores/open-store.ts';
import { TESTER } from '../stores/open-store.ts';
import type { WebhookFixture } from './webhook-fixture.ts';
import { storeOf } from './webhook-fixture.ts';

export type MadeEndpoint = { code: string; secret: string; url: string; path: string };

type Options = { store?: TestStore; types?: readonly InvoiceEventType[]; url?: string };

/** Adds a webhook endpoint at the fixture's receiver, which verifies with its secret. `name` is the first part of its path. */
export async function addEndpoint(fixture: WebhookFixture, name: string, options: Options = {}): Promise<MadeEndpoint> {
  const {
    store = storeOf(fixture),
    types = ENDPOINT_EVENT_TYPES,
    url = `${fixture.receiver.url}/${name}/hook`,
  } = options;
  const { database, clock } = fixture;
  const context = { database, clock, jobs: undefined, ring: store.ring, privateCallbacks: true };
  const { endpoint, secret } = await addWebhookEndpoint(context, TESTER, { store: store.ref, url, types });
  fixture.receiver.secrets.set(name, secret);
  return { code: endpoint, secret, url, path: new URL(url).pathname };
}
