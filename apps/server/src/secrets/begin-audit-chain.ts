import type { AuditLink } from '../audit/audit.ts';
import { lockLinks, readHeadLink } from '../audit/audit-link-sql.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { tryChainKey } from './audit-chain-key.ts';
import type { KeyRing } from './key-ring.ts';
import type { Beginning } from './start-audit-chain.ts';
import { startAuditChain } from './start-audit-chain.ts';

/**
 * Starts a new chain as an operator, because the previous secret is lost or exposed. A secret that cannot be opened
 * must be declared lost, because that makes the previous chain unverifiable: an attacker may have damaged it for this
 * purpose.
 */
export async function beginAuditChain(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  beginning: Beginning,
): Promise<AuditLink> {
  return inTransaction(database, async (tx) => {
    await lockLinks(tx);
    const head = await readHeadLink(tx);
    const isLost = head !== undefined && (await tryChainKey(tx, ring, head.secretId)) === undefined;
    if (isLost && !beginning.secretLost) throw new Refusal('AUDIT_SECRET_LOST');
    return startAuditChain(tx, { clock, ring }, actor, { ...beginning, secretLost: isLost });
  });
}
