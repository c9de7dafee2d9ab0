import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { checkValueOf, requireKnownKeys } from './key-ring-check.ts';
import { drawRingKey, readKeyRing, withRingKey, writeKeyRing } from './key-ring.ts';
import { insertRingKey } from './ring-key-sql.ts';
import { underRingLock } from './under-ring-lock.ts';

/** The context of commands that change the key ring. */
export type RingFileContext = Context & { keyRingFile: string };

/** Adds an unused key; returns its id. The file is written before the commit, which is harmless after a crash. */
export function addRingKey({ database, clock, keyRingFile: path }: RingFileContext, actor: Actor): Promise<string> {
  return underRingLock(database, async (prove) => {
    const ring = await readKeyRing(path);
    await requireKnownKeys(database.queries, ring);
    const { id, key } = drawRingKey();
    await inTransaction(database, async (tx) => {
      await insertRingKey(tx, id, checkValueOf(key));
      await prove();
      await writeKeyRing(path, withRingKey(ring, id, key));
      await recordAudit(tx, clock, actor, { action: 'key_ring.add', subject: 'key_ring', details: { after: id } });
    });
    return id;
  });
}
