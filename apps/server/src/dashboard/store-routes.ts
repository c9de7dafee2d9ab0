import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { beholderOf } from '../people/beholder.ts';
import { requireMember } from '../people/require-member.ts';
import { activateStore } from '../stores/activate-store.ts';
import { listApiKeys } from '../stores/api-key-sql.ts';
import { changeStore } from '../stores/change-store.ts';
import { listStoresOfMember } from '../stores/member-store-sql.ts';
import { GRACE_MINUTES, LIFETIME_MINUTES } from '../stores/store.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { readStoreSettings } from '../stores/store-sql.ts';
import { listWebhookSecrets } from '../stores/webhook-secret-sql.ts';
import { createMemberStore, MAX_STORES } from './create-member-store.ts';
import { DashboardError } from './dashboard-error.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';
import { shortKey, standingOf, viewApiKey } from './store-view.ts';

const MAX_NAME = 255;
/** Newest API keys, days of a key, and webhook secrets shown. */
const SHOWN_KEYS = 10;
const SHOWN_DAYS = 30;
const SHOWN_SECRETS = 10;

const name = z.string().trim().min(1).max(MAX_NAME);
const newStore = z.strictObject({ name, mode: z.enum(['live', 'test']) });
const storeChange = z
  .strictObject({
    name: name.optional(),
    lifetime_minutes: z.int().min(LIFETIME_MINUTES.minimum).max(LIFETIME_MINUTES.maximum).optional(),
    grace_minutes: z.int().min(GRACE_MINUTES.minimum).max(GRACE_MINUTES.maximum).optional(),
    https_callbacks_only: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'Name what is to be changed.');
const activity = z.strictObject({ active: z.boolean() });

const settingRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: '/accounts/:account/stores/:store', summary: 'Look at a store and its keys' },
    async ({ context, person, path: { account = '', store = '' } }) => {
      const asked = { merchantCode: account, merchantId: store, permission: 'invoice.see' } as const;
      const { id, merchantId, live } = await storeForMember(context, person, asked);
      const { queries } = context.views;
      const settings = await readStoreSettings(queries, id);
      if (!settings) throw new DashboardError('NOT_FOUND');
      const keys = await listApiKeys(queries, id, { keys: SHOWN_KEYS, days: SHOWN_DAYS });
      const secrets = await listWebhookSecrets(queries, id, SHOWN_SECRETS);
      const nowMs = context.clock.nowMs();
      return {
        merchant_id: merchantId,
        mode: live ? 'live' : 'test',
        name: settings.name,
        active: settings.active,
        created_at: unixSeconds(settings.createdAt),
        lifetime_minutes: settings.lifetimeMinutes,
        grace_minutes: settings.graceMinutes,
        https_callbacks_only: settings.httpsCallbacksOnly,
        api_keys: keys.map((key) => viewApiKey(key, live, nowMs)),
        webhook_secrets: secrets.map(({ createdAt, endsAt }) => ({
          state: standingOf(endsAt, nowMs),
          created_at: unixSeconds(createdAt),
          ends_at: endsAt && unixSeconds(endsAt),
        })),
      };
    },
  ),
  personRoute(
    {
      method: 'PATCH',
      url: '/accounts/:account/stores/:store',
      summary: 'Change settings of a store',
      body: storeChange,
    },
    async ({ context, person, path, input }) => {
      const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '' };
      const store = await storeForMember(context, person, { ...asked, permission: 'store.change' });
      const after = await changeStore(context, person, {
        store,
        name: input.name,
        lifetimeMinutes: input.lifetime_minutes,
        graceMinutes: input.grace_minutes,
        httpsCallbacksOnly: input.https_callbacks_only,
      });
      return {
        name: after.name,
        lifetime_minutes: after.lifetimeMinutes,
        grace_minutes: after.graceMinutes,
        https_callbacks_only: after.httpsCallbacksOnly,
      };
    },
  ),
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/stores/:store/activity',
      summary: 'Switch a store on or off',
      body: activity,
    },
    async ({ context, person, path, input: { active } }) => {
      const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '' };
      const store = await storeForMember(context, person, { ...asked, permission: 'store.change' });
      await activateStore(context, person, { store, active });
      return { active };
    },
  ),
];

export const storeRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: '/accounts/:account/stores', summary: 'List the stores of a merchant' },
    async ({ context, person, path }) => {
      const merchantCode = path['account'] ?? '';
      const { merchantAccountId } = await requireMember(context, person, { merchantCode, permission: 'invoice.see' });
      const beholder = beholderOf(context, person);
      const stores = await listStoresOfMember(context.views.queries, beholder, {
        merchantAccountId,
        limit: MAX_STORES,
      });
      return {
        stores: stores.map(({ merchantId, name: shown, live, active, keyHint }) => ({
          merchant_id: merchantId,
          name: shown,
          mode: live ? 'live' : 'test',
          active,
          api_key_hint: keyHint === null ? null : shortKey(live, keyHint),
        })),
      };
    },
  ),
  personRoute(
    { method: 'POST', url: '/accounts/:account/stores', summary: 'Create a store', body: newStore },
    async ({ context, person, path: { account = '' }, input }) => {
      const asked = { merchantCode: account, name: input.name, live: input.mode === 'live' };
      return { merchant_id: await createMemberStore(context, person, asked), mode: input.mode };
    },
  ),
  ...settingRoutes,
];
