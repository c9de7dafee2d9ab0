import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { checkValueOf, requireKnownKeys } from './check-key-ring.ts';
import { drawRingKey, readKeyRing, withRingKey, writeKeyRing } from './key-ring.ts';
import { insertRingKey } from './ring-key-store.ts';
import { underRingLock } from './under-ring-lock.ts';

export type RingInput = { path: string; actor: string };

/**
 * Adds a key that seals nothing yet; returns its id. The file is written before the commit: a crash between them leaves a
 * key in the file that the database does not know, which harms nothing.
 */
export function addRingKey(database: Database, clock: Clock, { path, actor }: RingInput): Promise<string> {
  return underRingLock(database, async (prove) => {
    const ring = await readKeyRing(path);
    await requireKnownKeys(database.queries, ring);
    const { id, key } = drawRingKey();
    await inTransaction(database, async (tx) => {
      await insertRingKey(tx, id, checkValueOf(key));
      await prove();
      await writeKeyRing(path, withRingKey(ring, id, key));
      await recordAudit(tx, clock, { actor, action: 'key_ring.add', subject: 'key_ring', details: { after: id } });
    });
    return id;
  });
}
