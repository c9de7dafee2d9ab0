import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { unixSeconds } from '../lib/clock.ts';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { EXPORT_KINDS, EXPORTED_STATUSES, fileNameOf } from '../exports/export.ts';
import type { ListedExport } from '../exports/member-export-sql.ts';
import { findExport, listExports } from '../exports/member-export-sql.ts';
import { openExport } from '../exports/open-export.ts';
import { requestExport } from '../exports/request-export.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { cursor, cutPage, PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

const MAX_STORE = 40;
/** The last second of year 9999: files have four-digit years. */
const LAST_SECOND = 253_402_300_799;

const moment = z.int().min(0).max(LAST_SECOND).describe('Unix time in seconds');
const newExport = z
  .strictObject({
    kind: z.enum(EXPORT_KINDS),
    store: z.string().min(1).max(MAX_STORE).optional(),
    from: moment.optional(),
    to: moment
      .optional()
      .describe(
        'Unix time in seconds; rows of this moment do not belong to the file. A statement ends at least 15 minutes before the request: the next one may begin where it ends.',
      ),
    status: z.enum(EXPORTED_STATUSES).optional().describe('For invoices only'),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    message: 'The end must be after the beginning.',
    path: ['to'],
  })
  .refine(({ kind, status }) => status === undefined || kind === 'invoices', {
    message: 'Only invoices have a status.',
    path: ['status'],
  });

const dateOf = (at: number | undefined) => (at === undefined ? null : new Date(at * SECOND_MS));

const viewExport = ({ clock }: DashboardContext, one: ListedExport) => {
  const isOver = one.state === 'done' && one.expiresAt !== null && one.expiresAt.getTime() <= clock.nowMs();
  return {
    export: one.code,
    kind: one.kind,
    state: isOver ? 'expired' : one.state,
    stores: one.wholeMerchant ? null : one.stores,
    from: one.fromAt && unixSeconds(one.fromAt),
    to: unixSeconds(one.toAt),
    status: one.status,
    rows: one.rows === null ? null : Number(one.rows),
    bytes: one.bytes === null ? null : Number(one.bytes),
    sha256: one.sha256?.toString('hex') ?? null,
    fault: one.fault,
    requested_by: one.requestedBy,
    created_at: unixSeconds(one.createdAt),
    done_at: one.doneAt && unixSeconds(one.doneAt),
    expires_at: one.expiresAt && unixSeconds(one.expiresAt),
  };
};

/** Whose exports a user may see. */
async function readerOf(context: DashboardContext, person: Person, account: string) {
  const asked = { merchantCode: account, permission: 'export.see' } as const;
  const { merchantAccountId, allStores } = await requireMember(context, person, asked);
  return { merchantAccountId, personId: person.id, allStores };
}

export const exportRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'POST', url: '/accounts/:account/exports', summary: 'Ask for a file with rows', body: newExport },
    async ({ context, person, path: { account = '' }, input }) => {
      const { kind, store, from, to, status = null } = input;
      const asked = { kind, merchantId: store, fromAt: dateOf(from), toAt: dateOf(to), status };
      return { export: await requestExport(context, person, { merchantCode: account, ...asked }) };
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/exports',
      summary: 'List exports, the newest first',
      query: z.strictObject({ after: cursor }),
    },
    async ({ context, person, path: { account = '' }, query }) => {
      const reader = await readerOf(context, person, account);
      const asked = { before: query.after, limit: PAGE_ROWS + 1 };
      const { rows, next } = cutPage(await listExports(context.views.queries, reader, asked), ({ code }) => code);
      return { exports: rows.map((one) => viewExport(context, one)), next };
    },
  ),
  personRoute(
    { method: 'GET', url: '/accounts/:account/exports/:export', summary: 'Look at an export' },
    async ({ context, person, path: { account = '', export: code = '' } }) => {
      const found = await findExport(context.views.queries, await readerOf(context, person, account), code);
      if (!found) throw new Refusal('EXPORT_UNKNOWN', { export: code });
      return viewExport(context, found);
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/exports/:export/file',
      summary: 'Fetch the file of an export',
      raw: true,
      media: 'text/csv',
      held: 'download',
    },
    async ({ context, person, reply, path: { account = '', export: code = '' } }) => {
      const { file, bytes, sha256, chunks } = await openExport(context, person, { merchantCode: account, code });
      reply.headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-length': bytes,
        'content-disposition': `attachment; filename="${fileNameOf(file.kind, file.code)}"`,
        'repr-digest': `sha-256=:${sha256.toString('base64')}:`,
      });
      // The next chunk is read when the receiver has taken the last ones.
      return Readable.from(chunks(), { objectMode: false });
    },
  ),
];
