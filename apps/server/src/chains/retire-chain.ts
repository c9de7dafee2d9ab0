import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { markRetired } from './chain-sql.ts';
import type { ChainDecision } from './unfreeze-chain.ts';

/** Retires a dead network as an operator: its invoices may then expire without another read. */
export async function retireChain(
  { database, clock }: Context,
  actor: Actor,
  { network, reason }: ChainDecision,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    if (!(await markRetired(tx, network, new Date(clock.nowMs()), reason)))
      throw new Refusal('NETWORK_NOT_FOLLOWED', { network });
    await recordAudit(tx, clock, actor, { action: 'chain.retire', subject: `chain:${network}`, details: { reason } });
  });
}
