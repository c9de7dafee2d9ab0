import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { Tx } from '../db/transaction.ts';
import type { AuditEntry, AuditFact } from './audit.ts';
import { insertAuditEntry, lockNewestEntry } from './audit-sql.ts';

/**
 * Writes the audit entry as the last statement of the change's transaction: ids have no gaps, so other writers wait for
 * its end. A worker with the key ring links it afterwards.
 */
export async function recordAudit(tx: Tx, clock: Clock, actor: Actor, fact: AuditFact): Promise<AuditEntry> {
  const newest = await lockNewestEntry(tx);
  const entry = { ...fact, actor: nameOfActor(actor), id: newest + 1n, at: new Date(clock.nowMs()) };
  await insertAuditEntry(tx, entry);
  return entry;
}
