import type { Queries } from '../db/database.ts';
import { open } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { findRingKey } from './key-ring.ts';
import { readSecret } from './secret-sql.ts';

/** Opens a stored secret, only if it was sealed for this very purpose. */
export async function openSecret(queries: Queries, ring: KeyRing, id: bigint, purpose: string): Promise<string> {
  const secret = await readSecret(queries, id);
  return open(await findRingKey(ring, secret.ringKeyId), purpose, secret.sealed);
}
