import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { RingFileContext } from './add-ring-key.ts';
import { requireKnownKeys } from './key-ring-check.ts';
import { readKeyRing, withoutRingKey, writeKeyRing } from './key-ring.ts';
import { deleteRingKey, readKnownKeys } from './ring-key-sql.ts';
import { underRingLock } from './under-ring-lock.ts';

/** Removes an unused key, from the database first: after a crash, a repetition removes it from the file. */
export function retireRingKey(
  { database, clock, keyRingFile: path }: RingFileContext,
  actor: Actor,
  { key: id }: { key: string },
): Promise<void> {
  return underRingLock(database, async (prove) => {
    const ring = await readKeyRing(path);
    const key = (await readKnownKeys(database.queries)).find((one) => one.id === id);
    if (!key && !ring.keys.has(id)) throw new Refusal('KEY_UNKNOWN', { key: id });
    if (key?.seals) throw new Refusal('KEY_SEALS', { key: id });
    if (key?.inUse) throw new Refusal('KEY_IN_USE', { key: id });
    await inTransaction(database, async (tx) => {
      await deleteRingKey(tx, id);
      // Checked after deletion: without this key, the ring must have every key that the database still has.
      await requireKnownKeys(tx, withoutRingKey(ring, id));
      await recordAudit(tx, clock, actor, { action: 'key_ring.retire', subject: 'key_ring', details: { before: id } });
    });
    if (!ring.keys.has(id)) return;
    await prove();
    await writeKeyRing(path, withoutRingKey(ring, id));
  });
}
