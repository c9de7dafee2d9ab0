import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { open, seal } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { addRingKey, ringKey, writeKeyRing } from './key-ring.ts';
import { registerKeyRing } from './register-key-ring.ts';
import { lockSecretsOfOtherKeys, replaceSealed } from './secret-store.ts';

const BATCH = 200;

export type RotationInput = { ring: KeyRing; path: string; actor: string };
export type Rotation = { active: string; resealed: number };

/**
 * Adds a key to the ring and seals everything anew with it. The file is written first: a crash leaves secrets under
 * both keys, both of them in the ring, and running it again ends the work. Old keys stay until a person removes them.
 */
export async function rotateKeyRing(database: Database, clock: Clock, input: RotationInput): Promise<Rotation> {
  const ring = addRingKey(input.ring);
  await writeKeyRing(input.path, ring);
  await registerKeyRing(database.queries, ring);
  const resealed = await resealAll(database, ring);
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, {
      actor: input.actor,
      action: 'key_ring.rotate',
      subject: 'key_ring',
      details: { before: input.ring.active, after: ring.active, resealed },
    }),
  );
  return { active: ring.active, resealed };
}

async function resealAll(database: Database, ring: KeyRing): Promise<number> {
  const activeKey = ringKey(ring, ring.active);
  for (let total = 0; ;) {
    const done = await inTransaction(database, async (tx) => {
      const batch = await lockSecretsOfOtherKeys(tx, ring.active, BATCH);
      for (const secret of batch) {
        const plain = open(ringKey(ring, secret.ringKeyId), secret.purpose, secret.sealed);
        await replaceSealed(tx, secret.id, ring.active, seal(activeKey, secret.purpose, plain));
      }
      return batch.length;
    });
    total += done;
    if (done === 0) return total;
  }
}
