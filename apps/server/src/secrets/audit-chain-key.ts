import type { Queries } from '../db/database.ts';
import type { KeyRing } from './key-ring.ts';
import { openSecret } from './open-secret.ts';

/** Keys of the audit chain. They are sealed like any other secret: a new key of the ring seals them anew. */

export const AUDIT_CHAIN_PURPOSE = 'audit_chain';

export const keyOfChain = (plain: string) => Buffer.from(plain, 'base64');

export async function openChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer> {
  return keyOfChain(await openSecret(queries, ring, secretId, AUDIT_CHAIN_PURPOSE));
}

/**
 * Opens the key of a chain; undefined when it cannot be opened. Call it inside a transaction: a failure of the
 * database, and not of the secret, also fails the next statement.
 */
export async function tryChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer | undefined> {
  return openChainKey(queries, ring, secretId).catch(() => undefined);
}
