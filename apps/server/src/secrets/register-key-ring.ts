import type { Queries } from '../db/database.ts';
import { checkValueOf, requireKeysInUse } from './key-ring-check.ts';
import type { KeyRing } from './key-ring.ts';
import { insertRingKey, insertSealingKey, readKnownKeys } from './ring-key-sql.ts';

/** Checks that the key ring is this database's. A database without keys takes the ring's, and the last one seals. */
export async function registerKeyRing(queries: Queries, ring: KeyRing): Promise<void> {
  await requireKeysInUse(queries, ring);
  if ((await readKnownKeys(queries)).length > 0) return;
  for (const [id, key] of ring.keys) await insertRingKey(queries, id, checkValueOf(key));
  const last = [...ring.keys.keys()].at(-1);
  if (last !== undefined) await insertSealingKey(queries, last);
}
