import type { Tx } from '../db/transaction.ts';
import { seal } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { findRingKey } from './key-ring.ts';
import { holdSealingKey } from './ring-key-sql.ts';
import { insertSecret } from './secret-sql.ts';

/** Seals `plain` with the key that the database names, and stores the result; returns the id of the secret. */
export async function sealSecret(tx: Tx, ring: KeyRing, purpose: string, plain: string): Promise<bigint> {
  const ringKeyId = await holdSealingKey(tx);
  const sealed = seal(await findRingKey(ring, ringKeyId), purpose, plain);
  return insertSecret(tx, { purpose, ringKeyId, sealed });
}
