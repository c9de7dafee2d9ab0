import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { endStop, findExchangeAccount } from '../wallets/exchange-account-sql.ts';
import type { ExchangeDecision } from '../wallets/stop-exchange-account.ts';
import { forgetRevertedAt } from './change-invoice-sql.ts';

/** Restarts a stopped exchange account as an operator, although a completed invoice lost its payment there. */
export async function startExchangeAccount(
  { database, clock }: Context,
  actor: Actor,
  { network, account, reason }: ExchangeDecision,
): Promise<void> {
  const name = { network, account };
  await inTransaction(database, async (tx) => {
    if (!(await findExchangeAccount(tx, name))) throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', name);
    if (!(await endStop(tx, name))) throw new Refusal('EXCHANGE_ACCOUNT_NOT_STOPPED', name);
    await forgetRevertedAt(tx, network, account);
    await recordAudit(tx, clock, actor, {
      action: 'exchange.start',
      subject: `exchange:${network}:${account}`,
      details: { reason },
    });
  });
}
