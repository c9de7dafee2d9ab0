import type { Clock } from '../lib/clock.ts';
import type { Tx } from '../db/transaction.ts';
import type { AuditFact } from './audit.ts';
import { FIRST_HASH, hashAuditEntry } from './audit.ts';
import { insertAuditEntry, lockAuditHead } from './audit-store.ts';

/** Writes the entry in the transaction of the change itself. One at a time, because each hash needs the one before. */
export async function recordAudit(tx: Tx, clock: Clock, fact: AuditFact): Promise<void> {
  const head = await lockAuditHead(tx);
  const entry = {
    ...fact,
    id: (head?.id ?? 0n) + 1n,
    at: new Date(clock.nowMs()),
    previousHash: head?.hash ?? FIRST_HASH,
  };
  await insertAuditEntry(tx, { ...entry, hash: hashAuditEntry(entry) });
}
