import { createHash } from 'node:crypto';

/** A change that a person made. `details` says before and after and never holds a secret. */
export type AuditFact = { actor: string; action: string; subject: string; details: Record<string, unknown> };
export type AuditEntry = AuditFact & { id: bigint; at: Date; previousHash: Buffer; hash: Buffer };

export const FIRST_HASH = Buffer.alloc(32);

/** Keys in order, because jsonb does not keep the order in which they were written. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
}

export function hashAuditEntry(entry: Omit<AuditEntry, 'hash'>): Buffer {
  const text = JSON.stringify([
    entry.id.toString(),
    entry.at.toISOString(),
    entry.actor,
    entry.action,
    entry.subject,
    // As they come back from the database: a date, say, as text.
    canonical(JSON.parse(JSON.stringify(entry.details))),
  ]);
  return createHash('sha256').update(entry.previousHash).update(text).digest();
}

/** The id of the first entry that does not follow from the one before it. */
export function findBrokenEntry(entries: readonly AuditEntry[], startHash: Buffer): bigint | undefined {
  let expected = startHash;
  for (const entry of entries) {
    if (!entry.previousHash.equals(expected) || !hashAuditEntry(entry).equals(entry.hash)) return entry.id;
    expected = entry.hash;
  }
  return undefined;
}
