import type { AuditEntry, AuditLink, OldAuditEntry } from './audit.ts';
import { beginsChain, CHAIN_BEGINS, FIRST_HASH, hashAuditLink, hashOldEntry } from './audit.ts';
import type { LinkedEntry } from './audit-link-sql.ts';

/** Rules of the audit chain: whether each entry follows from the previous one, and why not. */

export type Followed = {
  position: bigint;
  hash: Buffer;
  secretId: bigint | undefined;
  chainedUntil: bigint;
  /** Ids above `chainedUntil` that begin a chain: these are linked before older waiting entries. */
  ahead: readonly bigint[];
};

/** Keys of chains by secret id. `lost` by the next chain's first entry: its hashes cannot be checked. */
export type ChainKeys = ReadonlyMap<bigint, Buffer | 'lost'>;

type Step = { followed: Followed } | { fault: string };

/** The next id to link: the first above `after` that is not linked already (`ahead`). */
export function nextNumber(after: bigint, ahead: readonly bigint[]): bigint {
  let next = after + 1n;
  while (ahead.includes(next)) next += 1n;
  return next;
}

/** The first plain-hashed entry, from before the chain was keyed, that does not follow from the previous one. */
export function findBrokenEntry(entries: readonly OldAuditEntry[], startHash: Buffer): bigint | undefined {
  let expected = startHash;
  for (const entry of entries) {
    const { hash } = entry;
    if (!hash || !entry.previousHash?.equals(expected) || !hashOldEntry(entry, expected).equals(hash)) return entry.id;
    expected = hash;
  }
  return undefined;
}

/** The newest link before a chain, or without one the newest plain-hashed entry, if any. */
type HeadBefore = { link?: string; entry?: string; digest: string } | null;

export function headBefore({
  position,
  chainedUntil,
  hash,
}: Pick<Followed, 'position' | 'chainedUntil' | 'hash'>): HeadBefore {
  const digest = hash.toString('hex');
  if (position > 0n) return { link: position.toString(), digest };
  return chainedUntil > 0n ? { entry: chainedUntil.toString(), digest } : null;
}

function judgeBeginning(before: Followed, link: AuditLink, entry: AuditEntry): string | undefined {
  if (entry.action !== CHAIN_BEGINS) return `Entry ${entry.id} begins a chain and does not say why.`;
  const named = entry.details['before'] as HeadBefore;
  const head = headBefore(before);
  const isNamed = named?.link === head?.link && named?.entry === head?.entry && named?.digest === head?.digest;
  if (!isNamed || link.chainedUntil !== before.chainedUntil)
    return `Entry ${entry.id} begins a chain after another head than the one that is there: entries before it were removed or added.`;
  return undefined;
}

function judgeNext(before: Followed, link: AuditLink): string | undefined {
  if (link.secretId !== before.secretId) return `Entry ${link.entryId} is keyed by another secret than its chain.`;
  if (!link.previousHash.equals(before.hash))
    return `Entry ${link.entryId} does not follow from the one before it: one was changed, removed or added.`;
  const expected = nextNumber(before.chainedUntil, before.ahead);
  if (link.entryId !== expected || link.chainedUntil !== expected)
    return `Entry ${expected} should come next in the chain, and entry ${link.entryId} does.`;
  return undefined;
}

/** Verifies the next link. */
export function followLink(before: Followed, { link, entry }: LinkedEntry, keys: ChainKeys): Step {
  const expected = before.position + 1n;
  if (link.position !== expected) return { fault: `Link ${expected} of the chain was removed.` };
  if (!entry) return { fault: `Entry ${link.entryId} was removed.` };
  const begins = beginsChain(link);
  const fault = begins ? judgeBeginning(before, link, entry) : judgeNext(before, link);
  if (fault !== undefined) return { fault };
  const key = keys.get(link.secretId);
  if (key === undefined) return { fault: `The secret that keyed entry ${entry.id} cannot be opened.` };
  if (key !== 'lost' && !hashAuditLink(key, link, entry).equals(link.hash))
    return { fault: `Entry ${entry.id} was changed, or was added without the secret.` };
  const { position, hash, secretId, chainedUntil } = link;
  const ahead = [...before.ahead, ...(begins ? [entry.id] : [])].filter((id) => id > chainedUntil);
  return { followed: { position, hash, secretId, chainedUntil, ahead } };
}

export const BEFORE_FIRST: Followed = {
  position: 0n,
  hash: FIRST_HASH,
  secretId: undefined,
  chainedUntil: 0n,
  ahead: [],
};
