import type { Tx } from '../db/transaction.ts';
import { seal } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { findRingKey } from './key-ring.ts';
import { holdSealingKey } from './ring-key-sql.ts';
import type { SealedValue } from './secret-sql.ts';
import { insertSecret } from './secret-sql.ts';

/** Seals `plain` with the sealing key, for a row that the caller inserts in the same transaction. */
export async function sealValue(tx: Tx, ring: KeyRing, purpose: string, plain: string): Promise<SealedValue> {
  const ringKeyId = await holdSealingKey(tx);
  return { purpose, ringKeyId, sealed: seal(await findRingKey(ring, ringKeyId), purpose, plain) };
}

/** Seals and stores `plain`; returns the id of the secret. */
export async function sealSecret(tx: Tx, ring: KeyRing, purpose: string, plain: string): Promise<bigint> {
  return insertSecret(tx, await sealValue(tx, ring, purpose, plain));
}
