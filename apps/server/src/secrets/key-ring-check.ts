import type { Queries } from '../db/database.ts';
import { open, seal } from '../lib/secret-box.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from './key-ring.ts';
import { ringKey } from './key-ring.ts';
import type { KnownKey } from './ring-key-sql.ts';
import { readKnownKeys } from './ring-key-sql.ts';

/** Checks whether a key ring is the one that sealed the secrets of this database. */

const CHECK_PURPOSE = 'key_ring_check';
const CHECK_TEXT = 'counterfoil';

export function checkValueOf(key: Buffer): Buffer {
  return seal(key, CHECK_PURPOSE, CHECK_TEXT);
}

/** Whether a ring has a key that the database knows; `wrong` means that the ring has another key under the same id. */
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

/**
 * Refuses a ring that cannot open every secret of this database and seal new ones. Keys that seal nothing may be
 * missing.
 */
export async function requireKeysInUse(queries: Queries, ring: KeyRing): Promise<void> {
  const known = await readKnownKeys(queries);
  // The ring is read again, because a key that was added since the last read may be in use by now.
  if (known.some((key) => key.inUse && !ring.keys.has(key.id))) await ring.readAgain?.();
  requireKeys(
    ring,
    known.filter((key) => key.inUse || ring.keys.has(key.id)),
  );
}

/** Refuses to write a ring that lacks a key which the database knows. */
export async function requireKnownKeys(queries: Queries, ring: KeyRing): Promise<void> {
  const known = await readKnownKeys(queries);
  const lacking = known.filter((key) => keyStateOf(ring, key) === 'lacking').map((key) => key.id);
  if (lacking.length > 0) throw new Refusal('RING_INCOMPLETE', { keys: lacking });
  requireKeys(ring, known);
}
