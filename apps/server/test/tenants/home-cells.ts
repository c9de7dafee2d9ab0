import type { Cells } from './cells.ts';

/** Calls of the routes about a merchant's first page and email preferences. */

export const homeCells: Cells = { tables: ['notice_settings', 'store_days'] };
