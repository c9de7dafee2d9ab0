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
 * Plays the scenario that a test invoice asks for by its amount, unless the invoice has acts already. Repeated requests
 * for an invoice play too: the process that made the invoice may have died before it played. A scenario that fails leaves
 * the invoice as it is.
 */
export async function playMagicAmount(
  context: NetworksContext & { log: Pick<BaseLogger, 'warn'> },
  actor: Actor,
  { store, invoice: { transId, amountUnits, status } }: MagicInput,
): Promise<void> {
  const scenario = magicScenario(amountUnits);
  // The acts of an invoice that has ended may be erased already, so that it would be played again.
  if (scenario === undefined || status !== 'waiting') return;
  try {
    await requestActs(context, actor, { store, transId, plan: planScenario(scenario), onlyFirst: true });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    context.log.warn({ transId, scenario, reason: cause.message }, 'a magic amount could not be played');
  }
}
