import type { BaseLogger } from 'pino';
import type { StoreRef } from '../db/store-ref.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { magicScenario, planScenario } from './act.ts';
import { requestActs } from './request-acts.ts';

type MagicInput = { store: StoreRef; invoice: { transId: string; amountUnits: bigint } };

/**
 * Plays the scenario that a new test invoice asks for by its amount. A scenario that fails leaves the invoice as it is.
 */
export async function playMagicAmount(
  context: NetworksContext & { log: Pick<BaseLogger, 'warn'> },
  actor: Actor,
  { store, invoice: { transId, amountUnits } }: MagicInput,
): Promise<void> {
  const scenario = magicScenario(amountUnits);
  if (scenario === undefined) return;
  try {
    await requestActs(context, actor, { store, transId, plan: planScenario(scenario) });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    context.log.warn({ transId, scenario, reason: cause.message }, 'a magic amount could not be played');
  }
}
