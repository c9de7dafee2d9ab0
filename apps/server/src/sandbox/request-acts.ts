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

/** The most acts of one test invoice: enough to try every scenario twice, too few to fill the table. */
export const MAX_ACTS = 50;
/**
 * The most acts of one test invoice that only confirm payments or put them back: two for each other act. Acts that found
 * nothing to confirm or to put back are not counted.
 */
export const MAX_MENDING_ACTS = 100;
/** The most of these that visitors of the invoice's page may use, so that the store itself can always mend. */
const MAX_MENDING_OF_VISITORS = 50;

type ActsInput = {
  /** The store that asks; absent for a visitor of the invoice's page, who knows the invoice's code. */
  store?: StoreRef;
  transId: string;
  plan: readonly PlannedAct[];
  /**
   * Token and network to select for an invoice that has no quote yet; if absent, the first stable coin that can be
   * selected.
   */
  method?: MethodChoice;
  /** Whether a worker selects a usual payment method, because the role of the process that asks may not. */
  chosenByWorker?: boolean;
  /** Whether to ask for nothing when the invoice has acts already. */
  onlyFirst?: boolean;
};

/** Chooses a payment method for an invoice without a quote, as a payer would on the invoice's page. */
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

/** Enters in the audit what a member has a test payer do. Keys and visitors are not audited: programs ask all day. */
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

/**
 * Asks a worker to act on a test invoice. A payment for an invoice without a quote selects a usual payment method
 * first.
 */
export async function requestActs(
  context: NetworksContext,
  actor: Actor,
  { store, transId, plan, method, chosenByWorker = false, onlyFirst = false }: ActsInput,
): Promise<AskedAct[]> {
  const { database, clock } = context;
  if (store?.live === true) throw new Refusal('STORE_NOT_FOR_TESTS');
  const invoice = await findTestInvoice(database.queries, transId, store?.id);
  if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
  // Asked again under the lock of the invoice: this is to choose no payment method in vain.
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
