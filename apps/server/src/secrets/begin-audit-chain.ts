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
 * A person begins a new chain: the secret of the one before is lost, or known to somebody who should not know it. That it
 * is lost the person must say: nobody can verify that chain any more, and whoever garbled its secret would like it so.
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
