import { z } from 'zod';

/** Pages of the dashboard's lists: newest first, each page begins after the last row of the one before. */

/** How many rows a page shows. */
export const PAGE_ROWS = 50;

const MAX_CURSOR = 64;

/**
 * The place after which a page begins, as the answer before gave it in `next`: a public code, or a number of a row that
 * only its merchant can see.
 */
export const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(MAX_CURSOR)
  .optional();

/** Cuts rows that were read with one row more than a page shows; whether that row exists says whether more follow. */
export function cutPage<Row>(
  rows: readonly Row[],
  cursorOf: (row: Row) => string,
): { rows: Row[]; next: string | null } {
  const shown = rows.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > PAGE_ROWS && last !== undefined ? cursorOf(last) : null };
}
