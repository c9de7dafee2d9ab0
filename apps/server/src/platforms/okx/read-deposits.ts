import { SourceError } from '../../sources/chain-source.ts';
import type { OkxDeposit } from './okx-statement.ts';
import { timeOf } from './okx-statement.ts';

export const PAGE = 100;
/** Seven seconds, at our half of the quota. */
export const MAX_PAGES = 20;
/** A range that ends this recently is read from the newest deposit, without a cursor. */
export const RECENT_MS = 60_000;

/** A page, newest first: deposits before `after`, or the newest. */
type AskPage = (after: number | undefined) => Promise<OkxDeposit[]>;

type DepositRange = {
  fromMs: number;
  toMs: number;
  /** OKX's time. */
  nowMs: number;
};

/**
 * Reads deposits, newest first, back to `fromMs`; the result may exceed the range. OKX's description and example
 * contradict each other about `before` and `after`. So `before` is never sent, and each page starts at the last
 * millisecond of the previous one: a page without overlap is refused, deposits of one millisecond are not lost, and a
 * page without new deposits ends the list.
 */
export async function readDeposits(askPage: AskPage, { fromMs, toMs, nowMs }: DepositRange): Promise<OkxDeposit[]> {
  const found: OkxDeposit[] = [];
  const known = new Set<string>();
  let after = nowMs - toMs < RECENT_MS ? undefined : toMs + 1;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await askPage(after);
    const fresh = page.filter(({ depId }) => !known.has(depId));
    requireJoined(page, fresh, pages === 0, after);
    found.push(...page);
    for (const { depId } of fresh) known.add(depId);
    const oldest = page.at(-1);
    if (!oldest || timeOf(oldest) < fromMs) return found;
    if (fresh.length === 0) {
      if (page.length >= PAGE)
        throw new SourceError('inconsistent', 'OKX shows more deposits of one millisecond than a page holds.');
      return found;
    }
    after = timeOf(oldest) + 1;
  }
  const suggestedRange = Math.max(1, Math.floor((toMs - fromMs + 1) / 2));
  throw new SourceError('range', `The range takes more than ${MAX_PAGES} pages of OKX.`, { suggestedRange });
}

function requireJoined(
  page: readonly OkxDeposit[],
  fresh: readonly OkxDeposit[],
  isFirst: boolean,
  after: number | undefined,
): void {
  if (!isFirst && fresh.length === page.length)
    throw new SourceError('inconsistent', 'A page of deposits at OKX does not join the page before it.');
  let newest = after === undefined ? Number.POSITIVE_INFINITY : after - 1;
  for (const deposit of page) {
    if (timeOf(deposit) > newest) throw new SourceError('inconsistent', 'OKX shows deposits in no order.');
    newest = timeOf(deposit);
  }
}
