import type { InvoiceHistory } from '../../api/invoice-queries.ts';

/** An invoice's timeline from the server's moments and facts. */

export type Quote = InvoiceHistory['quotes'][number];
export type Transfer = InvoiceHistory['transfers'][number];
type Named = InvoiceHistory['named_transactions'][number];
type Delivery = NonNullable<InvoiceHistory['deliveries']>[number];
type Try = Delivery['attempts'][number];
type TimelineMoment = InvoiceHistory['timeline'][number];

export type Chapter = { key: string; at: number } & (
  | { kind: 'created'; fee: string | undefined; by: string | undefined }
  | { kind: 'quoted'; quote: Quote }
  | { kind: 'named' | 'named_read'; named: Named }
  | { kind: 'seen'; transfer: Transfer }
  | { kind: 'proven'; transfer: Transfer }
  | { kind: 'missing'; transfer: Transfer }
  | { kind: 'time_up' | 'expired' }
  | { kind: 'cancelled'; by: string }
  | { kind: 'completed'; late: boolean; transfer: Transfer | undefined }
  | { kind: 'fee'; what: 'hold' | 'capture' | 'release'; amount: string }
  | { kind: 'told'; type: string; event: string }
  | { kind: 'tried'; type: string; event: string; delivery: Delivery; attempt: Try; isLast: boolean }
  | { kind: 'audited'; action: string; actor: string }
);

const FEES = { fee_held: 'hold', fee_captured: 'capture', fee_released: 'release' } as const;

const isOf = (one: { network: string; transaction: string }, subject: string | null) =>
  `${one.network} ${one.transaction}` === subject;

/** Transfers for the invoice that do not pay it. */
export const strayTransfers = ({ transfers }: InvoiceHistory): Transfer[] =>
  transfers.filter((one) => one.canonical && !one.pays && one.reason !== null);

export const paidTransfer = ({ transfers }: InvoiceHistory): Transfer | undefined =>
  transfers.find((one) => one.completed) ?? transfers.find((one) => one.pays && one.canonical);

export const shownQuote = ({ quotes }: InvoiceHistory): Quote | undefined =>
  quotes.find((one) => one.shown) ?? quotes.at(-1);

type Chosen = Chapter extends infer One ? (One extends Chapter ? Omit<One, 'key' | 'at'> : never) : never;

function findTransfer(
  { transfers }: InvoiceHistory,
  { subject, at }: TimelineMoment,
  when: (one: Transfer) => number | null | undefined,
) {
  const own = transfers.filter((one) => isOf(one, subject));
  return own.find((one) => when(one) === at) ?? own[0];
}

function tellMoney(history: InvoiceHistory, moment: TimelineMoment): Chosen | undefined {
  const { kind, subject, at } = moment;
  if (kind === 'quoted') {
    const quotes = history.quotes.filter((one) => `${one.network} ${one.token}` === subject);
    const quote = quotes.find((one) => one.created_at === at) ?? quotes[0];
    return quote && { kind, quote };
  }
  if (kind === 'transfer_seen') {
    const transfer = findTransfer(history, moment, (one) => one.first_read.at);
    return transfer && { kind: 'seen', transfer };
  }
  if (kind === 'transfer_proven') {
    const transfer = findTransfer(history, moment, (one) => one.proof?.at);
    return transfer && { kind: 'proven', transfer };
  }
  if (kind === 'transfer_missing') {
    const transfer = findTransfer(history, moment, (one) => one.missing_since);
    return transfer && { kind: 'missing', transfer };
  }
  const named = history.named_transactions.find((one) => isOf(one, subject));
  if (!named) return undefined;
  return { kind: kind === 'transaction_named' ? 'named' : 'named_read', named };
}

function tellFee({ fees, invoice }: InvoiceHistory, { kind, at }: TimelineMoment): Chosen | undefined {
  const what = FEES[kind as keyof typeof FEES];
  const fee = fees?.find((one) => one.kind === what && one.at === at);
  // The initial hold is part of the creation.
  if (!fee || (what === 'hold' && at === invoice.created_at)) return undefined;
  return { kind: 'fee', what, amount: fee.amount };
}

function tellEvent({ deliveries, events }: InvoiceHistory, { kind, subject, at }: TimelineMoment): Chosen | undefined {
  const event = subject ?? '';
  const type = events.find((one) => one.event === event)?.type ?? '';
  const own = (deliveries ?? []).filter((one) => one.event === event);
  if (kind === 'event') return own.some((one) => one.attempts.length > 0) ? undefined : { kind: 'told', type, event };
  for (const delivery of own) {
    const attempt = delivery.attempts.find((one) => one.at === at);
    if (attempt) return { kind: 'tried', type, event, delivery, attempt, isLast: attempt === delivery.attempts.at(-1) };
  }
  return undefined;
}

function tellCreated({ fees, audit, invoice }: InvoiceHistory): Chosen {
  const fee = fees?.find((one) => one.kind === 'hold' && one.at === invoice.created_at)?.amount;
  return { kind: 'created', fee, by: audit?.find((one) => one.action === 'invoice.create')?.actor };
}

/** Whether another chapter shows who did it. */
const isToldAnyway = ({ invoice }: InvoiceHistory, action: string | null) =>
  action === 'invoice.create' || (action === 'invoice.cancel' && invoice.cancelled_at !== null);

function tell(history: InvoiceHistory, moment: TimelineMoment, now: number): Chosen | undefined {
  const { kind, subject, note, at } = moment;
  const { status, late } = history.invoice;
  switch (kind) {
    case 'created':
      return tellCreated(history);
    case 'payable_until':
      return at <= now && (status !== 'completed' || late) ? { kind: 'time_up' } : undefined;
    case 'expired':
      return { kind };
    case 'cancelled':
      return { kind, by: note ?? '' };
    case 'completed':
      return { kind, late: note === 'late', transfer: paidTransfer(history) };
    case 'fee_held':
    case 'fee_captured':
    case 'fee_released':
      return tellFee(history, moment);
    case 'event':
    case 'attempt':
      return tellEvent(history, moment);
    case 'audited':
      return isToldAnyway(history, subject) ? undefined : { kind, action: subject ?? '', actor: note ?? '' };
    case 'quoted':
    case 'transaction_named':
    case 'named_transaction_read':
    case 'transfer_seen':
    case 'transfer_proven':
    case 'transfer_missing':
      return tellMoney(history, moment);
  }
}

export function tellStory(history: InvoiceHistory, now: number): Chapter[] {
  const seen = new Map<string, number>();
  return history.timeline.flatMap((moment) => {
    const chosen = tell(history, moment, now);
    if (!chosen) return [];
    const name = `${moment.at} ${moment.kind} ${moment.subject ?? ''}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return [Object.assign({ key: `${name} ${count}`, at: moment.at }, chosen)];
  });
}
