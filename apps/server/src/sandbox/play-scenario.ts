import { storeOfInvoice } from '../invoices/store-of-invoice.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { BURST_WINDOW_SECONDS, SUSTAINED_WINDOW_SECONDS } from '../stores/admission.ts';
import { admitStore } from '../stores/admission-sql.ts';
import type { Scenario } from './act.ts';
import { planScenario } from './act.ts';
import type { AskedAct } from './act-sql.ts';
import { requestActs } from './request-acts.ts';

type PlayInput = { merchantCode: string; transId: string; scenario: Scenario };

/**
 * Plays a scenario for a member who may create invoices, with the same limits as by API key. A worker selects the
 * payment method, because the dashboard's role may not create quotes.
 */
export async function playScenario(
  context: NetworksContext,
  actor: Person,
  { merchantCode, transId, scenario }: PlayInput,
): Promise<AskedAct[]> {
  const store = await storeOfInvoice(context, actor, { merchantCode, transId, permission: 'invoice.create' });
  if (store.live) throw new Refusal('STORE_NOT_FOR_TESTS');
  const { store: admitted, rate } = await admitStore(context.database.queries, store.id, 'sandbox');
  if (rate.exceeded) {
    const retryAfterSeconds = rate.exceeded === 'burst' ? BURST_WINDOW_SECONDS : SUSTAINED_WINDOW_SECONDS;
    throw new Refusal('TOO_MANY_TESTS', { retryAfterSeconds });
  }
  if (admitted?.active !== true || !admitted.accountActive) throw new Refusal('STORE_SWITCHED_OFF');
  return requestActs(context, actor, { store, transId, plan: planScenario(scenario), chosenByWorker: true });
}
