import { z } from 'zod';

export const PAGE_ROWS = 50;

const MAX_CURSOR = 64;

/** The cursor, from `next` of the previous answer: a public code, or a row number that only its merchant can see. */
export const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(MAX_CURSOR)
  .optional();

/** Cuts rows that were read with one more than a page: that row shows whether more follow. */
export function cutPage<Row>(
  rows: readonly Row[],
  cursorOf: (row: Row) => string,
): { rows: Row[]; next: string | null } {
  const shown = rows.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > PAGE_ROWS && last !== undefined ? cursorOf(last) : null };
}
