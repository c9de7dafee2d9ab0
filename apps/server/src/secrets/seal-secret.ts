import type { Tx } from '../db/transaction.ts';
import { seal } from '../lib/secret-box.ts';
import type { KeyRing } from './key-ring.ts';
import { ringKey } from './key-ring.ts';
import { insertSecret } from './secret-store.ts';

/** Stores `plain` sealed with the active key; returns the id to keep beside its owner. */
export async function sealSecret(tx: Tx, ring: KeyRing, purpose: string, plain: string): Promise<bigint> {
  const sealed = seal(ringKey(ring, ring.active), purpose, plain);
  return insertSecret(tx, { purpose, ringKeyId: ring.active, sealed });
}
