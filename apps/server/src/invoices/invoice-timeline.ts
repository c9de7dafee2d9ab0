import type { PricingColumns } from '../rates/pricing.ts';
import type { InvoiceStatus } from './invoice.ts';

/** The timeline of an invoice, from the facts stored about it. */

export type InvoiceFact = {
  id: bigint;
  transId: string;
  storeId: bigint;
  requestId: string | null;
  status: InvoiceStatus;
  late: boolean;
  amountUsd: string;
  name: string | null;
  description: string | null;
  callbackUrl: string | null;
  completedUrl: string | null;
  expiredUrl: string | null;
  createdAt: Date;
  expiresAt: Date;
  settledAt: Date | null;
  endedAt: Date | null;
  cancelledAt: Date | null;
  cancelledBy: string | null;
  feeMicroUsd: bigint;
  transactionHash: string | null;
  fromAddress: string | null;
  callbackStatus: 'success' | 'failed' | null;
  /** The network and tier whose coverage gates expiry. */
  gateNetwork: string | null;
  gateTier: string | null;
  quoteId: bigint | null;
  paidTransferId: bigint | null;
  rate_evidence: unknown;
} & PricingColumns;

export type QuoteFact = {
  id: bigint;
  network: string;
  token: string;
  toAddress: string;
  tokenAmount: string;
  tokenPriceUsd: string;
  createdAt: Date;
  /** The tier that settles a payment of the quote. */
  finality: string;
  priceSources: unknown;
};

export type TransferFact = {
  id: bigint;
  network: string;
  txId: string;
  index: string;
  token: string;
  units: string;
  fromAddress: string;
  toAddress: string;
  height: bigint;
  blockTime: Date;
  canonical: boolean;
  pays: boolean;
  reason: string | null;
  seenAt: Date;
  readBy: string | null;
  readHow: string | null;
  provenAt: Date | null;
  provenBy: string | null;
  provenHow: string | null;
  acceptedBy: string | null;
  attachedBy: string | null;
  namedBy: string | null;
  missingSince: Date | null;
  /** The newest block of its network; null without blocks. */
  headHeight: bigint | null;
};

export type NamedFact = {
  network: string;
  txId: string;
  namedBy: string;
  namedAt: Date;
  endedAt: Date | null;
  outcome: string | null;
};

export type LedgerFact = { kind: string; microUsd: bigint; at: Date };
export type EventFact = { eventId: string; type: string; sequence: number; createdAt: Date };
export type DeliveryFact = {
  id: bigint;
  eventId: string;
  url: string;
  state: string;
  attempts: number;
  nextAttemptAt: Date;
};
export type AttemptFact = {
  deliveryId: bigint;
  number: number;
  at: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
};
export type AuditedFact = { at: Date; actor: string; action: string; details: Record<string, unknown> };

export type InvoiceFacts = {
  invoice: InvoiceFact;
  quotes: readonly QuoteFact[];
  transfers: readonly TransferFact[];
  named: readonly NamedFact[];
  events: readonly EventFact[];
  /** Undefined, like the following, without permission. */
  ledger?: readonly LedgerFact[] | undefined;
  deliveries?: readonly DeliveryFact[] | undefined;
  attempts?: readonly AttemptFact[] | undefined;
  audited?: readonly AuditedFact[] | undefined;
};

/** Kinds of moments, in the order in which simultaneous ones are listed. */
export const MOMENTS = [
  'created',
  'fee_held',
  'quoted',
  'transaction_named',
  'transfer_seen',
  'transfer_proven',
  'transfer_missing',
  'named_transaction_read',
  'payable_until',
  'audited',
  'completed',
  'expired',
  'cancelled',
  'fee_captured',
  'fee_released',
  'event',
  'attempt',
] as const;
type MomentKind = (typeof MOMENTS)[number];

/** `subject` is the quote, transaction, event or action concerned. */
type Moment = { at: Date; kind: MomentKind; subject: string | null; note: string | null };

const FEE_MOMENTS: Readonly<Record<string, MomentKind>> = {
  hold: 'fee_held',
  capture: 'fee_captured',
  release: 'fee_released',
};

const moment = (
  kind: MomentKind,
  at: Date | null | undefined,
  subject: string | null = null,
  note: string | null = null,
): Moment[] => (at ? [{ at, kind, subject, note }] : []);

const evidence = (by: string | null, how: string | null) => (by === null ? null : [by, how].filter(Boolean).join(': '));

function tellTransfer(one: TransferFact): Moment[] {
  const subject = `${one.network} ${one.txId}`;
  return [
    ...moment('transfer_seen', one.seenAt, subject, one.reason ?? evidence(one.readBy, one.readHow)),
    ...moment('transfer_proven', one.provenAt, subject, evidence(one.provenBy, one.provenHow)),
    ...moment('transfer_missing', one.missingSince, subject),
  ];
}

function tellNamed({ network, txId, namedAt, namedBy, endedAt, outcome }: NamedFact): Moment[] {
  const subject = `${network} ${txId}`;
  return [
    ...moment('transaction_named', namedAt, subject, namedBy),
    ...moment('named_transaction_read', endedAt, subject, outcome),
  ];
}

/** When an invoice ended. A late-paid one expired before, at the time of its event; a cancelled one did not expire. */
function tellEnds(invoice: InvoiceFact, events: readonly EventFact[]): Moment[] {
  const { status, late, settledAt, endedAt, cancelledAt, cancelledBy } = invoice;
  const told = events.find(({ type }) => type === 'invoice.expired')?.createdAt;
  const expired = status === 'expired' ? (endedAt ?? told) : told;
  const completed = status === 'completed' ? (settledAt ?? endedAt) : null;
  const ended = cancelledAt === null ? moment('expired', expired) : moment('cancelled', cancelledAt, null, cancelledBy);
  return [...ended, ...moment('completed', completed, null, late ? 'late' : null)];
}

/** All moments of an invoice in order. */
export function tellTimeline(facts: InvoiceFacts): Moment[] {
  const {
    invoice,
    quotes,
    transfers,
    named,
    events,
    ledger = [],
    deliveries = [],
    attempts = [],
    audited = [],
  } = facts;
  const eventOf = new Map(deliveries.map(({ id, eventId }) => [id, eventId]));
  const moments = [
    ...moment('created', invoice.createdAt),
    ...(invoice.cancelledAt === null ? moment('payable_until', invoice.expiresAt) : []),
    ...tellEnds(invoice, events),
    ...quotes.flatMap((one) => moment('quoted', one.createdAt, `${one.network} ${one.token}`, one.tokenAmount)),
    ...transfers.flatMap(tellTransfer),
    ...named.flatMap(tellNamed),
    ...ledger.flatMap(({ kind, at }) => moment(FEE_MOMENTS[kind] ?? 'fee_held', at)),
    ...events.flatMap(({ eventId, type, createdAt }) => moment('event', createdAt, eventId, type)),
    ...attempts.flatMap((one) => {
      const answered = one.error ?? (one.status === null ? null : String(one.status));
      return moment('attempt', one.at, eventOf.get(one.deliveryId) ?? null, answered);
    }),
    ...audited.flatMap(({ at, actor, action }) => moment('audited', at, action, actor)),
  ];
  return moments.toSorted(
    (one, other) => one.at.getTime() - other.at.getTime() || MOMENTS.indexOf(one.kind) - MOMENTS.indexOf(other.kind),
  );
}

/** Confirmations including the transfer's own block; null if unknown or not applicable. */
export function confirmationsOf({ canonical, height, headHeight }: TransferFact): number | null {
  if (!canonical || headHeight === null) return null;
  return Math.max(0, Number(headHeight - height) + 1);
}
