import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { MethodChoice } from '../invoices/decide-selection.ts';
import { selectPaymentMethod } from '../invoices/select-payment-method.ts';
import type { Actor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { PlannedAct } from './act.ts';
import { atOnce, isMending, needsQuote } from './act.ts';
import type { AskedAct } from './act-sql.ts';
import { countActs, hasActs, insertActs } from './act-sql.ts';
import type { TestInvoice } from './test-invoice-sql.ts';
import { findTestInvoice, lockTestInvoice } from './test-invoice-sql.ts';
import { selectFirst, USUAL_METHODS } from './usual-method.ts';

/** Enough to play every scenario twice, too few to fill the table. */
export const MAX_ACTS = 50;
/** Actions that only confirm or restore payments: two for each other one. Those without effect are not counted. */
export const MAX_MENDING_ACTS = 100;
/** Most of these by visitors of the invoice's page, so that the store can always repair. */
const MAX_MENDING_OF_VISITORS = 50;

type ActsInput = {
  /** The requesting store; absent for visitors of the invoice's page. */
  store?: StoreRef;
  transId: string;
  plan: readonly PlannedAct[];
  /** Token and network for an invoice without quote; by default the first available stablecoin. */
  method?: MethodChoice;
  /** Whether a worker selects the payment method, because this process's role may not. */
  chosenByWorker?: boolean;
  /** Whether to do nothing when the invoice has actions. */
  onlyFirst?: boolean;
};

/** Selects a payment method for an invoice without quote, as a payer would. */
async function chooseMethod(
  context: NetworksContext,
  actor: Actor,
  transId: string,
  methods: readonly MethodChoice[],
): Promise<void> {
  const select = (method: MethodChoice) => selectPaymentMethod(context, actor, { transId, ...method });
  const refusal = await selectFirst(methods, select);
  if (refusal !== undefined) throw new Refusal('METHOD_NOT_SELECTED', { refusal });
}

type Asked = { invoice: TestInvoice; plan: readonly PlannedAct[]; byVisitor: boolean; onlyFirst: boolean };

async function requireRoom(tx: Tx, { invoice, plan, byVisitor }: Asked): Promise<void> {
  for (const mending of [false, true]) {
    const planned = plan.filter(({ act }) => isMending(act) === mending).length;
    const mostMending = byVisitor ? MAX_MENDING_OF_VISITORS : MAX_MENDING_ACTS;
    const most = mending ? mostMending : MAX_ACTS;
    if (planned > 0 && (await countActs(tx, invoice.id, { mending, limit: most })) + planned > most)
      throw new Refusal('TOO_MANY_ACTS', { most });
  }
}

async function insertBounded(tx: Tx, asked: Asked, at: Date): Promise<AskedAct[]> {
  const { invoice, plan, onlyFirst } = asked;
  await lockTestInvoice(tx, invoice.id);
  if (onlyFirst && (await hasActs(tx, invoice.id))) return [];
  await requireRoom(tx, asked);
  return insertActs(tx, invoice.storeId, invoice.id, plan, at);
}

/** Audits members' actions. Keys and visitors are not audited: programs call all day. */
async function recordActs(
  tx: Tx,
  clock: Clock,
  actor: Actor,
  transId: string,
  acts: readonly AskedAct[],
): Promise<void> {
  const details = { acts: acts.map(({ act }) => act) };
  await recordAudit(tx, clock, actor, { action: 'invoice.test', subject: `invoice:${transId}`, details });
}

/** Requests actions on a test invoice. A payment without a quote selects a usual method first. */
export async function requestActs(
  context: NetworksContext,
  actor: Actor,
  { store, transId, plan, method, chosenByWorker = false, onlyFirst = false }: ActsInput,
): Promise<AskedAct[]> {
  const { database, clock } = context;
  if (store?.live === true) throw new Refusal('STORE_NOT_FOR_TESTS');
  const invoice = await findTestInvoice(database.queries, transId, store?.id);
  if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
  // Checked again under the invoice's lock; this only avoids a useless selection.
  if (onlyFirst && (await hasActs(database.queries, invoice.id))) return [];
  const chooses = needsQuote(plan) && (method !== undefined || !invoice.hasQuote);
  if (chooses && !chosenByWorker) await chooseMethod(context, actor, transId, method ? [method] : USUAL_METHODS);
  const planned = chooses && chosenByWorker ? [atOnce({ kind: 'choose' }), ...plan] : plan;
  const asked = { invoice, plan: planned, byVisitor: store === undefined, onlyFirst };
  return inTransaction(database, async (tx) => {
    const acts = await insertBounded(tx, asked, new Date(clock.nowMs()));
    if (actor.kind === 'person') await recordActs(tx, clock, actor, transId, acts);
    return acts;
  });
}
