import { access } from 'node:fs/promises';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { RingFileContext } from './add-ring-key.ts';
import { createKeyRing, readKeyRing, writeKeyRing } from './key-ring.ts';
import { registerKeyRing } from './register-key-ring.ts';
import { holdSealingKey, readKnownKeys } from './ring-key-sql.ts';
import { underRingLock } from './under-ring-lock.ts';

export function ringFileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Gives a database its first key ring, new or from an existing file. Returns the id of the sealing key. */
export function initKeyRing({ database, clock, keyRingFile: path }: RingFileContext, actor: Actor): Promise<string> {
  return underRingLock(database, async (prove) => {
    const exists = await ringFileExists(path);
    if ((await readKnownKeys(database.queries)).length > 0) {
      throw exists ? new Refusal('RING_EXISTS', { path }) : new Refusal('RING_KNOWN');
    }
    const ring = exists ? await readKeyRing(path) : createKeyRing();
    return inTransaction(database, async (tx) => {
      await registerKeyRing(tx, ring);
      const after = await holdSealingKey(tx);
      await prove();
      if (!exists) await writeKeyRing(path, ring);
      await recordAudit(tx, clock, actor, { action: 'key_ring.init', subject: 'key_ring', details: { after } });
      return after;
    });
  });
}
