import type { Queries } from '../db/database.ts';
import type { KeyRing } from './key-ring.ts';
import { openSecret } from './open-secret.ts';

/** Keys of the audit chain: sealed secrets, which are resealed like all others. */

export const AUDIT_CHAIN_PURPOSE = 'audit_chain';

export const keyOfChain = (plain: string) => Buffer.from(plain, 'base64');

export async function openChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer> {
  return keyOfChain(await openSecret(queries, ring, secretId, AUDIT_CHAIN_PURPOSE));
}

/** Undefined on any error. Requires a transaction, so that a database error is not taken for a lost key. */
export async function tryChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer | undefined> {
  return openChainKey(queries, ring, secretId).catch(() => undefined);
}
