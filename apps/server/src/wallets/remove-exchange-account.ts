import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { findExchangeAccount, markAccountRemoved } from './exchange-account-sql.ts';
import { decideWaiting } from './method-change-sql.ts';
import type { ExchangeDecision } from './stop-exchange-account.ts';
import { markWalletsRemoved } from './wallet-sql.ts';

/**
 * Removes an exchange account for all stores of its merchant. Its coverage is waived: quoted invoices may expire
 * without another read. Pending changes at the platform end.
 */
export async function removeExchangeAccount(
  { database, clock }: Context,
  actor: Actor,
  { network, account, reason }: ExchangeDecision,
): Promise<void> {
  const known = await findExchangeAccount(database.queries, { network, account });
  if (!known) throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', { network, account });
  const { merchantAccountId } = known;
  await inTransaction(database, async (tx) => {
    await holdMethods(tx, merchantAccountId);
    const at = new Date(clock.nowMs());
    const wallets = await markWalletsRemoved(tx, network, account, at);
    if (!(await markAccountRemoved(tx, { network, account }, at)))
      throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', { network, account });
    const decided = { state: 'removed', by: nameOfActor(actor), at } as const;
    const ended = await decideWaiting(tx, { merchantAccountId, network }, decided);
    await recordAudit(tx, clock, actor, {
      action: 'exchange.remove',
      subject: `exchange:${network}:${account}`,
      details: { reason, wallets, ...(ended.length > 0 && { changes: ended }) },
    });
  });
}
