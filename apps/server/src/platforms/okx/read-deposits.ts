import { SourceError } from '../../sources/chain-source.ts';
import type { OkxDeposit } from './okx-statement.ts';
import { timeOf } from './okx-statement.ts';

/** Deposits on a page, which is the most that OKX sends. */
export const PAGE = 100;
/** Pages of one read: seven seconds, at the pace of our half of the quota. */
export const MAX_PAGES = 20;
/** A range that ended no longer ago is read from the newest deposit on, without a cursor. */
export const RECENT_MS = 60_000;

/** Asks for a page, newest first: deposits that were made before `after`, or the newest ones. */
type AskPage = (after: number | undefined) => Promise<OkxDeposit[]>;

type DepositRange = {
  fromMs: number;
  toMs: number;
  /** OKX's time. */
  nowMs: number;
};

/**
 * Reads back to `fromMs`; deposits beyond both ends may be among the answer. The documentation describes `after` as older
 * and `before` as newer, and uses them the other way round in its example. So `before` is never sent, and each page begins
 * with the last millisecond of the page before it: it must show a deposit again. That also keeps deposits of one
 * millisecond together, and proves where the list ends.
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
