import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { listMerchantAudit } from '../stores/list-merchant-audit.ts';
import { hideOperators } from '../audit/audit-for-merchants.ts';
import { viewAuditActor } from './answer-parts.ts';
import { cutPage, PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

/** An entry's number; any such number fits a bigint. */
const entryNumber = z.string().regex(/^\d{1,18}$/);
const ABOVE_ALL = 2n ** 63n - 1n;

export const auditRoutes: readonly DashboardRoute[] = [
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/audit',
      summary: 'List what was done, the newest first',
      query: z.strictObject({ after: entryNumber.optional() }),
    },
    async ({ context, person, path: { account = '' }, query: { after } }) => {
      const below = after === undefined ? ABOVE_ALL : BigInt(after);
      const asked = { merchantCode: account, below, limit: PAGE_ROWS + 1 };
      const { rows, next } = cutPage(await listMerchantAudit(context, person, asked), ({ id }) => String(id));
      return {
        entries: rows.map(({ at, actor, action, subject, details }) => ({
          at: unixSeconds(at),
          actor: viewAuditActor(actor, action),
          action,
          subject,
          details: hideOperators(details),
        })),
        next,
      };
    },
  ),
];
