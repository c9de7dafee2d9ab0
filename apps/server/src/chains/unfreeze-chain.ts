import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { endFreeze } from './chain-sql.ts';

export type ChainDecision = { network: string; reason: string };

/** Ends a freeze as an operator, although a completed invoice lost its payment. */
export async function unfreezeChain(
  { database, clock }: Context,
  actor: Actor,
  { network, reason }: ChainDecision,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    if (!(await endFreeze(tx, network))) throw new Refusal('NETWORK_NOT_FROZEN', { network });
    await recordAudit(tx, clock, actor, {
      action: 'chain.unfreeze',
      subject: `chain:${network}`,
      details: { reason },
    });
  });
}
