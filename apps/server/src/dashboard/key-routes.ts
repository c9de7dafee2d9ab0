import { z } from 'zod';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { endOldApiKey } from '../stores/end-old-api-key.ts';
import { issueApiKey } from '../stores/issue-api-key.ts';
import { revealApiKey } from '../stores/reveal-api-key.ts';
import { revealWebhookSecret } from '../stores/reveal-webhook-secret.ts';
import { rotateWebhookSecret } from '../stores/rotate-webhook-secret.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import type { DashboardContext } from './dashboard-context.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute } from './route.ts';
import { shortKey } from './store-view.ts';

const BASE = '/accounts/:account/stores/:store';
export const renewal = z.strictObject({
  overlap_hours: z
    .union([z.literal(0), z.literal(1), z.literal(24), z.literal(168)])
    .describe('How long the old one still works'),
});

type Called = { context: DashboardContext; person: Person; path: Readonly<Record<string, string>> };

function storeOf(
  { context, person, path }: Called,
  permission: 'api_key.use' | 'webhook_secret.use',
): Promise<StoreRef> {
  const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '', permission };
  return storeForMember(context, person, asked);
}

export const keyRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'POST', url: `${BASE}/key/reveal`, summary: 'Copy the API key of a store', body: NOTHING },
    async (called) => {
      const store = await storeOf(called, 'api_key.use');
      return { api_key: await revealApiKey(called.context, called.person, { store }) };
    },
  ),
  personRoute(
    { method: 'POST', url: `${BASE}/key`, summary: 'Regenerate the API key of a store', body: renewal },
    async (called) => {
      const store = await storeOf(called, 'api_key.use');
      const asked = { store, overlapHours: called.input.overlap_hours };
      return { api_key: await issueApiKey(called.context, called.person, asked) };
    },
  ),
  personRoute(
    { method: 'POST', url: `${BASE}/key/end-old`, summary: 'End the older of two API keys now', body: NOTHING },
    async (called) => {
      const store = await storeOf(called, 'api_key.use');
      const { ended } = await endOldApiKey(called.context, called.person, { store });
      return { ended: ended.map((hint) => shortKey(store.live, hint)) };
    },
  ),
  personRoute(
    { method: 'POST', url: `${BASE}/webhook-secret/reveal`, summary: 'Copy the webhook secret', body: NOTHING },
    async (called) => {
      const store = await storeOf(called, 'webhook_secret.use');
      return { webhook_secret: await revealWebhookSecret(called.context, called.person, { store }) };
    },
  ),
  personRoute(
    { method: 'POST', url: `${BASE}/webhook-secret`, summary: 'Give a store a new webhook secret', body: renewal },
    async (called) => {
      const store = await storeOf(called, 'webhook_secret.use');
      const asked = { store, overlapHours: called.input.overlap_hours };
      return { webhook_secret: await rotateWebhookSecret(called.context, called.person, asked) };
    },
  ),
];
