import type { Queries } from '../db/database.ts';
import { OperatorError } from '../lib/errors.ts';
import { open, seal } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { ringKey } from './key-ring.ts';
import { countSecretsByRingKey, insertRingKey, readRingKeys } from './secret-store.ts';

const CHECK_PURPOSE = 'key_ring_check';
const CHECK_TEXT = 'counterfoil';

/** Proves that the ring holds every key that still seals something here, and makes its active key known. */
export async function registerKeyRing(queries: Queries, ring: KeyRing): Promise<void> {
  const known = await readRingKeys(queries);
  const inUse = new Set((await countSecretsByRingKey(queries)).map((count) => count.ringKeyId));
  for (const { id, checkValue } of known) {
    // A person may remove an old key from the file once nothing is sealed with it any more.
    if (!inUse.has(id) && !ring.keys.has(id)) continue;
    const key = ringKey(ring, id);
    try {
      open(key, CHECK_PURPOSE, checkValue);
    } catch {
      throw new OperatorError(`Key ${id} of the ring is not the key that sealed what is stored here.`);
    }
  }
  if (known.some(({ id }) => id === ring.active)) return;
  await insertRingKey(queries, ring.active, seal(ringKey(ring, ring.active), CHECK_PURPOSE, CHECK_TEXT));
}
