import type { Queries } from '../db/database.ts';
import type { KeyRing } from './key-ring.ts';
import { openSecret } from './open-secret.ts';

/** The sealed secrets that key the audit chain. They are secrets like any other: a new key of the ring seals them anew. */

export const AUDIT_CHAIN_PURPOSE = 'audit_chain';

export const keyOfChain = (plain: string) => Buffer.from(plain, 'base64');

export async function openChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer> {
  return keyOfChain(await openSecret(queries, ring, secretId, AUDIT_CHAIN_PURPOSE));
}

/** Inside a transaction: had the database failed and not the secret, the next statement would fail too. */
export async function tryChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer | undefined> {
  return openChainKey(queries, ring, secretId).catch(() => undefined);
}
