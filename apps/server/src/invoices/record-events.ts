import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { isCallbackEvent } from '@counterfoil/core/event-type.ts';
import type { Tx } from '../db/transaction.ts';
import { unixSeconds } from '../lib/clock.ts';
import { deriveEventId, eventBody } from '../webhooks/event.ts';
import type { EventFacts, NewEvent } from '../webhooks/event-sql.ts';
import { findWrittenEvents, insertEvents, readEventFacts } from '../webhooks/event-sql.ts';
import { readSubscriptions } from '../webhooks/subscription-sql.ts';
import type { InvoiceStatus } from './invoice.ts';
import type { InvoiceRow } from './invoice-sql.ts';
import { readInvoices } from './invoice-sql.ts';
import { viewInvoice } from './invoice-view.ts';
import { transferIdentity, viewReceivedMoney } from './received-money.ts';
import type { ReceivedMoney } from './received-money-sql.ts';
import { readReceivedMoney } from './received-money-sql.ts';

/** The invoice of an event, which the transaction has locked. */
type ToldInvoice = {
  id: bigint;
  storeId: bigint;
  transId: string;
  requestId: string | null;
  callbackUrl: string | null;
  hasEndpoints: boolean;
};

type Told = {
  invoice: ToldInvoice;
  decision: { status: InvoiceStatus; late?: boolean };
  type: InvoiceEventType;
  money?: ReceivedMoney;
};

type Addressed = Told & { url: string | null; endpointIds: readonly bigint[] };

type ChangedInvoice = Pick<Told, 'invoice' | 'decision'>;

/** The event types of a status. */
const TYPES: Partial<Record<InvoiceStatus, InvoiceEventType>> = {
  processing: 'invoice.processing',
  completed: 'invoice.completed',
  expired: 'invoice.expired',
};

/** Events with a receiver: the callback URL, or webhook endpoints that have their type. */
async function address(tx: Tx, told: readonly Told[]): Promise<Addressed[]> {
  const storeIds = new Set(told.flatMap(({ invoice }) => (invoice.hasEndpoints ? [invoice.storeId] : [])));
  const subscriptions = storeIds.size > 0 ? await readSubscriptions(tx, [...storeIds]) : [];
  const ofStore = Map.groupBy(subscriptions, ({ storeId }) => storeId);
  return told
    .map((one) => {
      const endpoints = ofStore.get(one.invoice.storeId) ?? [];
      return {
        ...one,
        url: isCallbackEvent(one.type) ? one.invoice.callbackUrl : null,
        endpointIds: endpoints.filter(({ types }) => types.includes(one.type)).map(({ endpointId }) => endpointId),
      };
    })
    .filter(({ url, endpointIds }) => url !== null || endpointIds.length > 0);
}

/** What distinguishes an event from others of its type. The two ends of an invoice come once. */
function repetitionOf({ type, money }: Told, { processings }: EventFacts): string | undefined {
  if (money) return transferIdentity(money);
  return type === 'invoice.processing' ? String(processings) : undefined;
}

function factsOf(facts: ReadonlyMap<bigint, EventFacts>, { id, transId }: ToldInvoice): EventFacts {
  const known = facts.get(id);
  if (!known) throw new Error(`Invoice ${transId} is gone.`);
  return known;
}

const idOf = (told: Told, facts: EventFacts) =>
  deriveEventId(facts.salt, told.invoice.transId, told.type, repetitionOf(told, facts));

/** Leaves out received money whose event is written, so that the others are numbered without gaps. */
async function leaveOutWritten(
  tx: Tx,
  told: readonly Addressed[],
  facts: ReadonlyMap<bigint, EventFacts>,
): Promise<readonly Addressed[]> {
  const ofMoney = told.filter(({ money }) => money);
  if (ofMoney.length === 0) return told;
  const ids = new Map(ofMoney.map((one) => [one, idOf(one, factsOf(facts, one.invoice))]));
  const written = await findWrittenEvents(tx, [...ids.values()]);
  return told.filter((one) => !written.has(ids.get(one) ?? ''));
}

/** The event of a fact; counts it among those of its invoice. */
function composeEvent(told: Addressed, row: InvoiceRow, facts: EventFacts, at: Date): NewEvent {
  const { invoice, decision, type, money, url, endpointIds } = told;
  const ends = isCallbackEvent(type);
  facts.events += 1;
  if (ends) facts.ends += 1;
  if (type === 'invoice.processing') facts.processings += 1;
  const eventId = idOf(told, facts);
  const body = eventBody(eventId, {
    type,
    sequence: ends ? facts.ends : null,
    createdAt: unixSeconds(at),
    transId: invoice.transId,
    requestId: invoice.requestId,
    status: decision.status,
    late: decision.late === true,
    ...(money && { money: viewReceivedMoney(money) }),
    // The event shows the invoice without `callback_status`, because the outcome of the event's own delivery is not
    // known yet.
    data: viewInvoice({ ...row, callback_status: null }),
  });
  const { id: invoiceId, storeId } = invoice;
  return { eventId, storeId, invoiceId, sequence: facts.events, type, body, url, endpointIds };
}

async function write(tx: Tx, at: Date, told: readonly Addressed[]): Promise<void> {
  if (told.length === 0) return;
  const invoices = [...new Map(told.map(({ invoice }) => [invoice.id, invoice])).values()];
  const ids = invoices.map(({ id }) => id);
  const rows = await readInvoices(tx, ids);
  const facts = await readEventFacts(tx, invoices);
  const fresh = await leaveOutWritten(tx, told, facts);
  const events = fresh.map((one) => {
    const row = rows.get(one.invoice.id);
    if (!row) throw new Error(`Invoice ${one.invoice.transId} is gone.`);
    return composeEvent(one, row, factsOf(facts, one.invoice), at);
  });
  await insertEvents(tx, events, at);
}

/** Writes the events of invoices with a new status, with their deliveries. Invoices without a receiver have none. */
export async function recordEvents(tx: Tx, at: Date, changed: readonly ChangedInvoice[]): Promise<void> {
  const told = changed.flatMap((one): Told[] => {
    const type = TYPES[one.decision.status];
    const { callbackUrl, hasEndpoints } = one.invoice;
    return type === undefined || (callbackUrl === null && !hasEndpoints) ? [] : [{ ...one, type }];
  });
  if (told.length > 0) await write(tx, at, await address(tx, told));
}

/**
 * Writes an event for each transfer that arrived for an invoice and did not complete it, once. The transaction has
 * locked the invoices.
 */
export async function recordReceivedMoney(tx: Tx, at: Date, transferIds: readonly bigint[]): Promise<void> {
  const received = await readReceivedMoney(tx, transferIds);
  const told = received.map((money) => {
    const { invoiceId: id, storeId, transId, requestId, status, late } = money;
    const invoice = { id, storeId, transId, requestId, callbackUrl: null, hasEndpoints: true };
    return { invoice, decision: { status, late }, type: 'invoice.money_received' as const, money };
  });
  await write(tx, at, await address(tx, told));
}
