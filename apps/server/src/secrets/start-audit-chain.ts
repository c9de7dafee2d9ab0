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

/** Why a chain begins. `secretLost` declares the previous secret lost, so that its chain can no longer be verified. */
export type Beginning = { reason: string; secretLost: boolean };

/** What a new chain follows: the previous chain's last link, or the last plain-hashed entry. */
async function readHeadBefore(tx: Tx): Promise<Pick<AuditLink, 'position' | 'hash' | 'chainedUntil'>> {
  const head = await readHeadLink(tx);
  if (head) return head;
  const old = await readOldHead(tx);
  return { position: 0n, hash: old?.hash ?? FIRST_HASH, chainedUntil: old?.id ?? 0n };
}

/** Starts a chain with a new secret, under the lock for links. Waiting entries follow its first. */
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
