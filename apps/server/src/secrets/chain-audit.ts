import { linkEntries } from '../audit/audit.ts';
import { countWaiting, insertLinks, readHeadLink, readWaiting, tryLockLinks } from '../audit/audit-link-sql.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { AUDIT_CHAIN_PURPOSE, openChainKey } from './audit-chain-key.ts';
import type { KeyRing } from './key-ring.ts';
import { hasSecretFor } from './secret-sql.ts';
import { startAuditChain } from './start-audit-chain.ts';

const BATCH = 200;
const FIRST_REASON = 'Entries are chained by a sealed secret from here on.';

/**
 * Links waiting audit entries, oldest first; true when there may be more. One worker at a time. Fails without the
 * chain's secret, or when an existing chain has lost its links: entries then wait until an operator starts a new chain
 * with a reason.
 */
export async function chainAudit(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
): Promise<boolean> {
  if ((await countWaiting(database.queries, 1)) === 0) return false;
  return inTransaction(database, async (tx) => {
    if (!(await tryLockLinks(tx))) return false;
    const first = { reason: FIRST_REASON, secretLost: false };
    const present = await readHeadLink(tx);
    if (!present && (await hasSecretFor(tx, AUDIT_CHAIN_PURPOSE))) throw new Refusal('AUDIT_LINKS_GONE');
    const head = present ?? (await startAuditChain(tx, { clock, ring }, actor, first));
    const waiting = await readWaiting(tx, head.chainedUntil, BATCH);
    if (waiting.length > 0) {
      const key = await openChainKey(tx, ring, head.secretId);
      await insertLinks(tx, linkEntries(key, head, waiting));
    }
    return waiting.length === BATCH;
  });
}
