/**
 * Judges what `pnpm drill faults` has recorded: what clients were told, what chains hold, what the database says, what
 * receivers got, and whether each fault took place under load. Pure.
 */

type Acknowledged = { requestId: string; transIds: readonly string[] };
export type InvoiceFact = {
  requestId: string | null;
  transId: string;
  status: string;
  tx: string | null;
  /** Types of its events, in their order. */
  events: readonly string[];
};
/** A payment that a customer made for an invoice. */
type PaymentFact = { transId: string; tx: string };
/** A transfer as the database explains it: it pays an invoice, or has a reason why not. */
type TransferFact = { tx: string; transId: string | null; reason: string | null };
type EventFact = { eventId: string; transId: string };
type ReceiptFact = { eventId: string; succeeded: number };

export type FaultFact = {
  kind: string;
  /** What shows that the fault took place; undefined if nothing does. */
  evidence: string | undefined;
  /** Requests that were in progress when it began, or were sent before its end. */
  requests: number;
  /** Payments that were on their way when it began, or were made before its end. */
  payments: number;
  /**
   * Seconds from its end until invoices were created, selected, settled and notified again; undefined if one of these did
   * not work within the limit.
   */
  recoverySeconds: number | undefined;
  /** What did not work within the limit. */
  broken: readonly string[];
};

export type FaultRecord = {
  acknowledged: readonly Acknowledged[];
  invoices: readonly InvoiceFact[];
  payments: readonly PaymentFact[];
  /** Transactions on chain that paid an address of the drill. */
  onChain: ReadonlySet<string>;
  transfers: readonly TransferFact[];
  events: readonly EventFact[];
  receipts: readonly ReceiptFact[];
  /** Requests that had another body or id than the first of their event, and wrong signatures. */
  changedBodies: number;
  wrongSignatures: number;
  /** Emails and exports that were acknowledged, and whether they were sent and made. */
  owed: readonly { what: string; given: boolean }[];
  ledgerFaults: readonly string[];
  faults: readonly FaultFact[];
  /** Kinds of faults that the drill must have caused. */
  promised: readonly string[];
};

export type Judgement = { lost: string[]; double: string[]; failures: string[] };

const COMPLETED = 'invoice.completed';

function repeated(names: readonly string[]): string[] {
  return [...Map.groupBy(names, (name) => name)].filter(([, all]) => all.length > 1).map(([name]) => name);
}

function findLostInvoices({ acknowledged, invoices }: FaultRecord): string[] {
  const known = new Set(invoices.map(({ transId }) => transId));
  return acknowledged.flatMap(({ requestId, transIds }) =>
    transIds.filter((transId) => !known.has(transId)).map((transId) => `${transId} of ${requestId} does not exist`),
  );
}

function findLostPayments({ payments, onChain, invoices, transfers }: FaultRecord): string[] {
  const byTransId = new Map(invoices.map((one) => [one.transId, one]));
  const explained = new Set(transfers.filter(({ reason }) => reason !== null).map(({ tx }) => tx));
  return payments
    .filter(({ tx, transId }) => onChain.has(tx) && byTransId.get(transId)?.tx !== tx && !explained.has(tx))
    .map(({ tx, transId }) => `${tx} pays ${transId}, which is ${byTransId.get(transId)?.status ?? 'unknown'}`);
}

/** Differences between the payments that customers made and the chains: with any, the drill proves nothing. */
function findStrayPayments({ payments, onChain }: FaultRecord): string[] {
  const ours = new Set(payments.map(({ tx }) => tx));
  return [
    ...(payments.length === 0 ? ['no payment was made'] : []),
    ...payments.filter(({ tx }) => !onChain.has(tx)).map(({ tx }) => `${tx} is not on its chain`),
    ...[...onChain].filter((tx) => !ours.has(tx)).map((tx) => `${tx} is on a chain and no customer made it`),
  ];
}

function findLostEvents({ events, receipts, invoices }: FaultRecord): string[] {
  const received = new Set(receipts.filter(({ succeeded }) => succeeded > 0).map(({ eventId }) => eventId));
  const silent = invoices
    .filter(({ status, events: types }) => status === 'completed' && !types.includes(COMPLETED))
    .map(({ transId }) => `${transId} is completed and has no event`);
  return [
    ...silent,
    ...events
      .filter(({ eventId }) => !received.has(eventId))
      .map(({ eventId, transId }) => `${eventId} of ${transId} was not delivered`),
  ];
}

const findUngiven = ({ owed }: FaultRecord): string[] =>
  owed.filter(({ given }) => !given).map(({ what }) => `${what} was acknowledged and is not there`);

function findDoubleInvoices({ acknowledged, invoices }: FaultRecord): string[] {
  const told = acknowledged
    .filter(({ transIds }) => new Set(transIds).size > 1)
    .map(({ requestId, transIds }) => `${requestId} was answered with ${[...new Set(transIds)].join(' and ')}`);
  const stored = repeated(invoices.flatMap(({ requestId }) => requestId ?? []));
  return [...told, ...stored.map((requestId) => `${requestId} has more than one invoice`)];
}

function findDoubleSettlements({ invoices, payments }: FaultRecord): string[] {
  const paid = new Map(payments.map(({ tx, transId }) => [tx, transId]));
  const completed = invoices.filter(({ status }) => status === 'completed');
  return [
    ...repeated(completed.flatMap(({ tx }) => tx ?? [])).map((tx) => `${tx} settles more than one invoice`),
    ...completed
      .filter(({ tx, transId }) => tx === null || paid.get(tx) !== transId)
      .map(({ tx, transId }) => `${transId} is completed by ${tx}, which does not pay it`),
    ...invoices
      .filter(({ events }) => events.filter((type) => type === COMPLETED).length > 1)
      .map(({ transId }) => `${transId} has more than one ${COMPLETED}`),
  ];
}

function findDoubleEvents({ events, receipts, changedBodies }: FaultRecord): string[] {
  const known = new Set(events.map(({ eventId }) => eventId));
  return [
    ...receipts.filter(({ eventId }) => !known.has(eventId)).map(({ eventId }) => `${eventId} was sent and is unknown`),
    ...Array.from({ length: changedBodies }, () => 'an event id came with another body'),
  ];
}

function findIdleFaults({ faults, promised }: FaultRecord): string[] {
  const caused = new Set(faults.map(({ kind }) => kind));
  return [
    ...promised.filter((kind) => !caused.has(kind)).map((kind) => `${kind} was not caused`),
    ...faults.flatMap(({ kind, evidence, requests, payments, broken }) => [
      ...(evidence === undefined ? [`${kind}: nothing shows that it took place`] : []),
      ...(requests === 0 ? [`${kind}: no request was in progress`] : []),
      ...(payments === 0 ? [`${kind}: no payment was on its way`] : []),
      ...broken.map((what) => `${kind}: ${what} did not work again`),
    ]),
  ];
}

export function judgeFaults(record: FaultRecord): Judgement {
  const { wrongSignatures, ledgerFaults } = record;
  return {
    lost: [...findLostInvoices(record), ...findLostPayments(record), ...findLostEvents(record), ...findUngiven(record)],
    double: [...findDoubleInvoices(record), ...findDoubleSettlements(record), ...findDoubleEvents(record)],
    failures: [
      ...(wrongSignatures > 0 ? [`${wrongSignatures} signatures are wrong`] : []),
      ...findStrayPayments(record),
      ...ledgerFaults,
      ...findIdleFaults(record),
    ],
  };
}

/** The longest recovery; undefined when a fault was not recovered from. */
export function worstRecovery(faults: readonly Pick<FaultFact, 'recoverySeconds'>[]): number | undefined {
  const seconds = faults.map(({ recoverySeconds }) => recoverySeconds);
  return seconds.includes(undefined) ? undefined : Math.max(0, ...seconds.filter((one) => one !== undefined));
}
