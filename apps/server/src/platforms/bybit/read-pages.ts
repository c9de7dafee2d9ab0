import { SourceError } from '../../sources/chain-source.ts';
import type { BybitDeposit, BybitPage } from './bybit-statement.ts';

/** The most pages that one read of a range asks for. */
export const MAX_PAGES = 40;

/** Asks for the page at a cursor; an empty cursor asks for the first page. */
type AskPage = (cursor: string) => Promise<BybitPage>;

/**
 * Reads all pages of a list. The list ends at a page without rows or without a cursor. A page that is not full is no
 * end, and the last page with rows may still have a cursor.
 */
export async function readPages(askPage: AskPage, rangeMs: number): Promise<BybitDeposit[]> {
  const found: BybitDeposit[] = [];
  const cursors = new Set<string>(['']);
  let cursor = '';
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { rows, nextPageCursor } = await askPage(cursor);
    found.push(...rows);
    if (rows.length === 0 || nextPageCursor === '') return found;
    if (cursors.has(nextPageCursor)) throw new SourceError('inconsistent', 'Bybit leads from a page back to another.');
    cursors.add(nextPageCursor);
    cursor = nextPageCursor;
  }
  const suggestedRange = Math.max(1, Math.floor(rangeMs / 2));
  throw new SourceError('range', `The range takes more than ${MAX_PAGES} pages of Bybit.`, { suggestedRange });
}
