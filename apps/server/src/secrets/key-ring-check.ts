import type { Queries } from '../db/database.ts';
import { open, seal } from '../lib/secret-box.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from './key-ring.ts';
import { ringKey } from './key-ring.ts';
import type { KnownKey } from './ring-key-sql.ts';
import { readKnownKeys } from './ring-key-sql.ts';

/** Checks that a key ring is the one that sealed this database's secrets. */

const CHECK_PURPOSE = 'key_ring_check';
const CHECK_TEXT = 'counterfoil';

export function checkValueOf(key: Buffer): Buffer {
  return seal(key, CHECK_PURPOSE, CHECK_TEXT);
}

/** `wrong`: the ring has another key under the same id. */
type KeyState = 'held' | 'lacking' | 'wrong';

export function keyStateOf(ring: KeyRing, known: KnownKey): KeyState {
  const key = ring.keys.get(known.id);
  if (!key) return 'lacking';
  try {
    open(key, CHECK_PURPOSE, known.checkValue);
    return 'held';
  } catch {
    return 'wrong';
  }
}

function requireKeys(ring: KeyRing, keys: readonly KnownKey[]): void {
  for (const key of keys) {
    if (keyStateOf(ring, key) === 'wrong') throw new Refusal('KEY_WRONG', { key: key.id });
    ringKey(ring, key.id);
  }
}

/** Refuses a ring that cannot open every secret and seal new ones. Unused keys may be missing. */
export async function requireKeysInUse(queries: Queries, ring: KeyRing): Promise<void> {
  const known = await readKnownKeys(queries);
  // A key added since the last read may be in use.
  if (known.some((key) => key.inUse && !ring.keys.has(key.id))) await ring.readAgain?.();
  requireKeys(
    ring,
    known.filter((key) => key.inUse || ring.keys.has(key.id)),
  );
}

/** Refuses to write a ring that lacks one of the database's keys. */
export async function requireKnownKeys(queries: Queries, ring: KeyRing): Promise<void> {
  const known = await readKnownKeys(queries);
  const lacking = known.filter((key) => keyStateOf(ring, key) === 'lacking').map((key) => key.id);
  if (lacking.length > 0) throw new Refusal('RING_INCOMPLETE', { keys: lacking });
  requireKeys(ring, known);
}
