import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { beginView } from '../people/begin-view.ts';
import { endView } from '../people/end-view.ts';
import { listViews } from '../people/operator-view-sql.ts';
import type { DashboardRoute } from './route.ts';
import { operatorRoute } from './route.ts';

/** Routes for staff. Other users get the answer for unknown routes. */

const MAX_CODE = 40;
const REASON_LENGTH = { minimum: 5, maximum: 500 };
const MAX_VIEWS = 100;

const viewBody = z.strictObject({
  account: z.string().min(1).max(MAX_CODE),
  reason: z.string().trim().min(REASON_LENGTH.minimum).max(REASON_LENGTH.maximum),
});

export const operatorRoutes: readonly DashboardRoute[] = [
  operatorRoute(
    {
      method: 'POST',
      url: '/operator/views',
      summary: 'Look at a merchant for an hour',
      body: viewBody,
      right: 'look',
    },
    async ({ context, person, input }) => {
      const asked = { merchantCode: input.account, reason: input.reason };
      const { code, endsAt } = await beginView(context, person, asked);
      return { view: code, ends_at: unixSeconds(endsAt) };
    },
  ),
  operatorRoute(
    { method: 'GET', url: '/operator/views', summary: 'List the merchants that you look at', right: 'see' },
    async ({ context, person }) => {
      const { sessionHash } = person;
      const now = new Date(context.clock.nowMs());
      const views = await listViews(context.database.queries, { sessionHash, now, limit: MAX_VIEWS });
      return {
        views: views.map(({ code, merchantCode, merchantName, reason, endsAt }) => ({
          view: code,
          account: merchantCode,
          name: merchantName,
          reason,
          ends_at: unixSeconds(endsAt),
        })),
      };
    },
  ),
  operatorRoute(
    { method: 'DELETE', url: '/operator/views/:view', summary: 'Look no longer at a merchant', right: 'look' },
    async ({ context, person, path: { view = '' } }) => {
      await endView(context, person, view);
    },
  ),
];
