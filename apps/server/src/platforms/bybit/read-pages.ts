import { SourceError } from '../../sources/chain-source.ts';
import type { BybitDeposit, BybitPage } from './bybit-statement.ts';

/** Most pages per read of a range. */
export const MAX_PAGES = 40;

type AskPage = (cursor: string) => Promise<BybitPage>;

/** Reads pages until one has no rows or no cursor; a page that is not full is no end. */
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
