import type { Queries } from '../db/database.ts';
import type { KeyRing } from './key-ring.ts';
import { openSecret } from './open-secret.ts';

/**
 * Keys of the audit chain. They are stored as sealed secrets like any other: when the sealing key of the ring changes,
 * they are sealed anew.
 */

export const AUDIT_CHAIN_PURPOSE = 'audit_chain';

export const keyOfChain = (plain: string) => Buffer.from(plain, 'base64');

export async function openChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer> {
  return keyOfChain(await openSecret(queries, ring, secretId, AUDIT_CHAIN_PURPOSE));
}

/**
 * Opens the key of an audit chain; undefined on any error. Must be called inside a transaction: after an error of the
 * database the transaction's next statement fails too, so that the error is not taken for a lost key.
 */
export async function tryChainKey(queries: Queries, ring: KeyRing, secretId: bigint): Promise<Buffer | undefined> {
  return openChainKey(queries, ring, secretId).catch(() => undefined);
}
