import type { Queries } from '../db/database.ts';
import { FIRST_HASH, findBrokenEntry } from './audit.ts';
import { readAuditEntries } from './audit-store.ts';

const PAGE = 1_000;
// Ours start at 1; one slipped in before them must be seen too.
const BEFORE_ALL = -(2n ** 63n);

export type AuditVerdict = { entries: number; brokenAt?: bigint };

/** Recomputes the whole chain, a page at a time. */
export async function verifyAudit(queries: Queries): Promise<AuditVerdict> {
  let entries = 0;
  let afterId = BEFORE_ALL;
  let hash: Buffer = FIRST_HASH;
  for (;;) {
    const page = await readAuditEntries(queries, afterId, PAGE);
    const last = page.at(-1);
    if (!last) return { entries };
    const brokenAt = findBrokenEntry(page, hash);
    if (brokenAt !== undefined) return { entries: entries + page.length, brokenAt };
    entries += page.length;
    afterId = last.id;
    hash = last.hash;
  }
}
