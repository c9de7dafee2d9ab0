import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { ExchangeAccountName } from './exchange-account.ts';
import { findExchangeAccount, stopAccount } from './exchange-account-sql.ts';

export type ExchangeDecision = ExchangeAccountName & { reason: string };

export async function stopExchangeAccount(
  { database, clock }: Context,
  actor: Actor,
  { network, account, reason }: ExchangeDecision,
): Promise<void> {
  const name = { network, account };
  await inTransaction(database, async (tx) => {
    if (!(await findExchangeAccount(tx, name))) throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', name);
    if (!(await stopAccount(tx, name, new Date(clock.nowMs()), { reason, by: nameOfActor(actor) })))
      throw new Refusal('EXCHANGE_ACCOUNT_STOPPED', name);
    await recordAudit(tx, clock, actor, {
      action: 'exchange.stop',
      subject: `exchange:${network}:${account}`,
      details: { reason },
    });
  });
}
