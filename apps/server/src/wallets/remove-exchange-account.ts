import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { markAccountRemoved } from './exchange-account-sql.ts';
import type { ExchangeDecision } from './stop-exchange-account.ts';
import { markWalletsRemoved } from './wallet-sql.ts';

/**
 * Gives an exchange account up, for all stores of its merchant. Its coverage is waived: invoices that were quoted there
 * may expire without another read. Audited.
 */
export async function removeExchangeAccount(
  { database, clock }: Context,
  actor: Actor,
  { network, account, reason }: ExchangeDecision,
): Promise<void> {
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const wallets = await markWalletsRemoved(tx, network, account, at);
    if (!(await markAccountRemoved(tx, { network, account }, at)))
      throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', { network, account });
    await recordAudit(tx, clock, actor, {
      action: 'exchange.remove',
      subject: `exchange:${network}:${account}`,
      details: { reason, wallets },
    });
  });
}
