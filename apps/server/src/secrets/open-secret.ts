import type { Queries } from '../db/database.ts';
import { open } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { findRingKey } from './key-ring.ts';
import type { SealedValue } from './secret-sql.ts';
import { readSecret } from './secret-sql.ts';

/** Opens a value only if it was sealed for this purpose. */
export async function openValue(
  ring: KeyRing,
  { ringKeyId, sealed }: Pick<SealedValue, 'ringKeyId' | 'sealed'>,
  purpose: string,
): Promise<string> {
  return open(await findRingKey(ring, ringKeyId), purpose, sealed);
}

/** Opens a stored secret only if it was sealed for this purpose. */
export async function openSecret(queries: Queries, ring: KeyRing, id: bigint, purpose: string): Promise<string> {
  return openValue(ring, await readSecret(queries, id), purpose);
}
