import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { RingInput } from './add-ring-key.ts';
import { requireKnownKeys } from './check-key-ring.ts';
import { readKeyRing, withoutRingKey, writeKeyRing } from './key-ring.ts';
import { deleteRingKey, readKnownKeys } from './ring-key-store.ts';
import { underRingLock } from './under-ring-lock.ts';

/**
 * Makes database and ring forget a key that seals nothing. The database forgets first: a crash between them leaves a key
 * in the file that nobody asks for, and running it again removes it.
 */
export function retireRingKey(database: Database, clock: Clock, input: RingInput & { key: string }): Promise<void> {
  const { path, actor, key: id } = input;
  return underRingLock(database, async (prove) => {
    const ring = await readKeyRing(path);
    const key = (await readKnownKeys(database.queries)).find((one) => one.id === id);
    if (!key && !ring.keys.has(id)) throw new OperatorError(`There is no key ${id}.`);
    if (key?.seals) throw new OperatorError(`Key ${id} seals what is new: keyring reseal with another one first.`);
    if (key?.inUse) throw new OperatorError(`Key ${id} still seals secrets: run keyring reseal again.`);
    await inTransaction(database, async (tx) => {
      await deleteRingKey(tx, id);
      // Not known any more, so that the rest of the ring is what must be complete.
      await requireKnownKeys(tx, withoutRingKey(ring, id));
      await recordAudit(tx, clock, { actor, action: 'key_ring.retire', subject: 'key_ring', details: { before: id } });
    });
    if (!ring.keys.has(id)) return;
    await prove();
    await writeKeyRing(path, withoutRingKey(ring, id));
  });
}
