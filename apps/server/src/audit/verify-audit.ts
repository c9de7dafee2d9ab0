import type { Queries } from '../db/database.ts';
import { CHAIN_BEGINS, FIRST_HASH } from './audit.ts';
import type { ExportedHead } from './audit-head.ts';
import { formatHead, matchesHead } from './audit-head.ts';
import { readBeginnings, readLinks, readWaiting } from './audit-link-sql.ts';
import { readAuditEntries, readOldHead } from './audit-sql.ts';
import type { ChainKeys, Followed } from './audit-chain.ts';
import { BEFORE_FIRST, findBrokenEntry, followLink, nextNumber } from './audit-chain.ts';

const PAGE = 1_000;
// Ids start at 1, but an entry added below must be seen too.
const BEFORE_ALL = -(2n ** 63n);

/** `fault` describes the first fault. */
export type AuditVerdict = { entries: number; waiting: number; head?: string; fault?: string };
type VerifyOptions = { keys: ChainKeys; head?: ExportedHead | undefined };

type Part<T> = { reached: T } | { fault: string };

/** Verifies entries from before the chain was keyed, up to `upTo`. */
async function verifyOldEntries(queries: Queries, upTo: bigint): Promise<Part<{ entries: number; hash: Buffer }>> {
  let reached = { entries: 0, hash: FIRST_HASH as Buffer };
  for (let above = BEFORE_ALL; ;) {
    const page = await readAuditEntries(queries, { above, upTo }, PAGE);
    const last = page.at(-1);
    if (!last) return { reached };
    const brokenAt = findBrokenEntry(page, reached.hash);
    if (brokenAt !== undefined || !last.hash)
      return { fault: `Entry ${brokenAt ?? last.id} was changed or added, or one before it was removed.` };
    reached = { entries: reached.entries + page.length, hash: last.hash };
    above = last.id;
  }
}

async function verifyLinks(queries: Queries, start: Followed, options: VerifyOptions): Promise<Part<Followed>> {
  const { keys, head } = options;
  let reached = start;
  for (;;) {
    const page = await readLinks(queries, reached.position, PAGE);
    for (const linked of page) {
      const step = followLink(reached, linked, keys);
      if ('fault' in step) return step;
      reached = step.followed;
      if (head?.position === reached.position && !matchesHead(head, reached.hash))
        return { fault: `Link ${head.position} is not the one that was exported: the chain was rewritten since then.` };
    }
    if (page.length < PAGE) break;
  }
  if (head && head.position > reached.position)
    return {
      fault: `Link ${head.position} was exported and the chain ends at ${reached.position}: its newest entries were removed.`,
    };
  return { reached };
}

/** Entries without a link have no hash, but their ids must have no gap. */
async function verifyWaiting(queries: Queries, { chainedUntil, ahead }: Followed): Promise<Part<number>> {
  let waiting = 0;
  for (let above = chainedUntil; ;) {
    const page = await readWaiting(queries, above, PAGE);
    for (const { id, action } of page) {
      // An entry that begins a chain is linked in its own transaction, so a missing link was removed.
      if (action === CHAIN_BEGINS) return { fault: `Entry ${id} began a chain whose links are gone.` };
      const expected = nextNumber(above, ahead);
      if (id !== expected) return { fault: `Entry ${expected} was removed before it was chained.` };
      above = id;
    }
    waiting += page.length;
    if (page.length < PAGE) return { reached: waiting };
  }
}

/** Verifies the audit page by page; best in one snapshot, because workers continue to add entries and links. */
export async function verifyAudit(
  queries: Queries,
  options: VerifyOptions = { keys: new Map() },
): Promise<AuditVerdict> {
  const [first] = await readBeginnings(queries, 1);
  const upTo = first?.link.chainedUntil ?? (await readOldHead(queries))?.id ?? 0n;
  const old = await verifyOldEntries(queries, upTo);
  if ('fault' in old) return { entries: 0, waiting: 0, fault: old.fault };
  const { entries, hash } = old.reached;
  const links = await verifyLinks(queries, { ...BEFORE_FIRST, hash, chainedUntil: upTo }, options);
  if ('fault' in links) return { entries, waiting: 0, fault: links.fault };
  const chained = entries + Number(links.reached.position);
  const waiting = await verifyWaiting(queries, links.reached);
  if ('fault' in waiting) return { entries: chained, waiting: 0, fault: waiting.fault };
  return {
    entries: chained + waiting.reached,
    waiting: waiting.reached,
    ...(links.reached.position > 0n && { head: formatHead(links.reached) }),
  };
}
