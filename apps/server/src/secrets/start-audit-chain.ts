import { randomBytes } from 'node:crypto';
import type { AuditLink } from '../audit/audit.ts';
import { CHAIN_BEGINS, FIRST_HASH, hashAuditLink } from '../audit/audit.ts';
import { insertLinks, readHeadLink } from '../audit/audit-link-sql.ts';
import { readOldHead } from '../audit/audit-sql.ts';
import { headBefore } from '../audit/audit-chain.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { AUDIT_CHAIN_PURPOSE, keyOfChain } from './audit-chain-key.ts';
import type { KeyRing } from './key-ring.ts';
import { sealSecret } from './seal-secret.ts';

const KEY_BYTES = 32;

/**
 * Why an audit chain begins. `secretLost` declares that the secret of the previous chain is lost, so that nobody can
 * verify that chain any more.
 */
export type Beginning = { reason: string; secretLost: boolean };

/**
 * What the first link of a new audit chain follows: the last link of the previous chain, or else the last entry with a
 * plain hash, from the time before audit chains had secrets.
 */
async function readHeadBefore(tx: Tx): Promise<Pick<AuditLink, 'position' | 'hash' | 'chainedUntil'>> {
  const head = await readHeadLink(tx);
  if (head) return head;
  const old = await readOldHead(tx);
  return { position: 0n, hash: old?.hash ?? FIRST_HASH, chainedUntil: old?.id ?? 0n };
}

/**
 * Starts an audit chain with a new sealed secret. The caller holds the lock for adding links. Entries that wait are
 * linked after the entry that begins the chain.
 */
export async function startAuditChain(
  tx: Tx,
  { clock, ring }: { clock: Clock; ring: KeyRing },
  actor: Actor,
  { reason, secretLost }: Beginning,
): Promise<AuditLink> {
  const before = await readHeadBefore(tx);
  const plain = randomBytes(KEY_BYTES).toString('base64');
  const secretId = await sealSecret(tx, ring, AUDIT_CHAIN_PURPOSE, plain);
  const details = { reason, before: headBefore(before), ...(secretLost && { secretLost }) };
  const entry = await recordAudit(tx, clock, actor, { action: CHAIN_BEGINS, subject: 'audit', details });
  const { position, chainedUntil } = before;
  const link = { position: position + 1n, entryId: entry.id, secretId, chainedUntil, previousHash: FIRST_HASH };
  const linked = { ...link, hash: hashAuditLink(keyOfChain(plain), link, entry) };
  await insertLinks(tx, [linked]);
  return linked;
}
