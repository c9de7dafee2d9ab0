import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import type { ListCursor, StoreListQuery } from '../invoices/list-store-invoices.ts';
import { INVOICE_STATUSES } from '../invoices/invoice.ts';
import { hasAtMost, isStorableText } from '../lib/text.ts';
import { invalidFields } from './public-error.ts';

/** The query of `GET /invoices`. */

const LIMIT = { least: 1, usual: 20, most: 100 } as const;
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;
const MAX_REQUEST_ID = 255;
const CURSOR = /^(?:(\d{1,18})\.)?(TID-[A-Z0-9]{16})$/;

export const CURSOR_FAULT = { field: 'cursor', message: 'cursor must be the next_cursor of a page of this store.' };

const wholeNumber = (name: string, least: number, most: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `${name} must be a whole number from ${least} to ${most}.`,
    )
    .transform(Number);

const seconds = (name: string, description: string) =>
  wholeNumber(name, 0, LAST_SECOND)
    .optional()
    .meta({ description: `${description}, as a Unix timestamp in seconds.`, type: 'integer', minimum: 0 });

const ALONE = 'changed_since goes with limit and cursor alone.';

const listQuery = z
  .strictObject({
    status: z
      .enum(INVOICE_STATUSES, `status must be one of ${INVOICE_STATUSES.join(', ')}.`)
      .optional()
      .meta({ description: 'Only invoices of this status.' }),
    since: seconds(
      'since',
      'Only invoices created at or after this time; with the status completed or expired, those that became so',
    ),
    until: seconds('until', 'Only invoices created, or that became so, before this time'),
    request_id: z
      .string()
      .refine((text) => hasAtMost(text, MAX_REQUEST_ID) && isStorableText(text), 'request_id is none of an invoice.')
      .optional()
      .meta({ description: 'Only the invoice of this order.', maxLength: MAX_REQUEST_ID }),
    changed_since: seconds(
      'changed_since',
      'Instead of the newest invoices, those that were completed or expired at or after this time, in the order in which they were',
    ),
    cursor: z
      .string()
      .refine((text) => CURSOR.test(text), CURSOR_FAULT.message)
      .optional()
      .meta({ description: 'The `next_cursor` of the page before.' }),
    limit: wholeNumber('limit', LIMIT.least, LIMIT.most)
      .default(LIMIT.usual)
      .meta({ description: 'Most invoices of the page.', type: 'integer', minimum: LIMIT.least, maximum: LIMIT.most }),
  })
  .superRefine(({ status, since, until, request_id: requestId, changed_since: changedSince }, context) => {
    if (changedSince === undefined) return;
    for (const [field, value] of Object.entries({ status, since, until, request_id: requestId }))
      if (value !== undefined) context.addIssue({ code: 'custom', path: [field], message: ALONE });
  });

/** The query as text by name; a repeated parameter is a list, which no field accepts. Empty ones are not supplied. */
function suppliedQuery(query: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== ''));
}

const timeOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at * SECOND_MS));
const MAX_NAME = 40;

export function readListQuery(query: unknown): StoreListQuery {
  const parsed = listQuery.safeParse(suppliedQuery(query));
  if (!parsed.success) {
    throw invalidFields(
      parsed.error.issues.map((issue) =>
        issue.code === 'unrecognized_keys'
          ? { field: String(issue.keys[0]).slice(0, MAX_NAME), message: 'There is no such parameter.' }
          : { field: String(issue.path[0]), message: issue.message },
      ),
    );
  }
  const { status, since, until, request_id: requestId, changed_since: changedSince, cursor, limit } = parsed.data;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (changedSince !== undefined) return { order: 'changed', since: timeOf(changedSince), after, limit };
  return { order: 'newest', status, requestId, since: timeOf(since), until: timeOf(until), after, limit };
}

function readCursor(text: string): ListCursor {
  const [, position, transId = ''] = CURSOR.exec(text) ?? [];
  return { transId, ...(position !== undefined && { position: BigInt(position) }) };
}

/** The cursor of the page after a row. Ids are not shown: they would reveal how many invoices all stores have. */
export function cursorAfter(transId: string, position: bigint | null): string {
  return position === null ? transId : `${position}.${transId}`;
}
