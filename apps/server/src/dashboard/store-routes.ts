import { z } from 'zod';
import { beholderOf } from '../people/beholder.ts';
import { requireMember } from '../people/require-member.ts';
import { listStoresOfMember } from '../stores/member-store-sql.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { createMemberStore, MAX_STORES } from './create-member-store.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

/** Routes about the stores of a merchant, for its members. */

const MAX_NAME = 255;
const newStore = z.strictObject({ name: z.string().trim().min(1).max(MAX_NAME), mode: z.enum(['live', 'test']) });
const KEY_START = { true: 'cf_live_', false: 'cf_test_' };

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
        stores: stores.map(({ merchantId, name, live, active, keyHint }) => ({
          merchant_id: merchantId,
          name,
          mode: live ? 'live' : 'test',
          active,
          api_key_hint: keyHint === null ? null : `${KEY_START[`${live}`]}····${keyHint}`,
        })),
      };
    },
  ),
  personRoute(
    { method: 'POST', url: '/accounts/:account/stores', summary: 'Create a store', body: newStore },
    async ({ context, person, path: { account = '' }, input: { name, mode } }) => {
      const asked = { merchantCode: account, name, live: mode === 'live' };
      return { merchant_id: await createMemberStore(context, person, asked), mode };
    },
  ),
  personRoute(
    { method: 'GET', url: '/accounts/:account/stores/:store', summary: 'Look at a store' },
    async ({ context, person, path: { account = '', store = '' } }) => {
      const asked = { merchantCode: account, merchantId: store, permission: 'invoice.see' } as const;
      const { merchantId, live } = await storeForMember(context, person, asked);
      return { merchant_id: merchantId, mode: live ? 'live' : 'test' };
    },
  ),
];
