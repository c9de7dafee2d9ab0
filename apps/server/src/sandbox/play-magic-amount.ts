import type { BaseLogger } from 'pino';
import type { StoreRef } from '../db/store-ref.ts';
import type { InvoiceStatus } from '../invoices/invoice.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { magicScenario, planScenario } from './act.ts';
import { requestActs } from './request-acts.ts';

type MagicInput = { store: StoreRef; invoice: { transId: string; amountUnits: bigint; status: InvoiceStatus } };

/**
 * Plays the scenario of an invoice's amount, unless the invoice has actions. Also for repeated requests, because the
 * creating process may have died before. A failing scenario changes nothing.
 */
export async function playMagicAmount(
  context: NetworksContext & { log: Pick<BaseLogger, 'warn'> },
  actor: Actor,
  { store, invoice: { transId, amountUnits, status } }: MagicInput,
): Promise<void> {
  const scenario = magicScenario(amountUnits);
  // Actions of ended invoices may be erased, which would repeat the scenario.
  if (scenario === undefined || status !== 'waiting') return;
  try {
    await requestActs(context, actor, { store, transId, plan: planScenario(scenario), onlyFirst: true });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    context.log.warn({ transId, scenario, reason: cause.message }, 'a magic amount could not be played');
  }
}
