import type { FastifyBaseLogger } from 'fastify';
import { periodOf } from '../db/partition-store.ts';
import type { Database } from '../db/database.ts';
import { formatDecimal, requireDecimal } from '../lib/amount.ts';
import { createBatcher } from '../lib/batch.ts';
import type { Clock } from '../lib/clock.ts';
import { PublicError } from '../lib/errors.ts';
import { computeFee, DISCOUNT_DECIMALS, FEE_RATE_DECIMALS, MICRO_USD_DECIMALS, USD_DECIMALS } from '../ledger/fee.ts';
import { readAvailable } from '../ledger/ledger-store.ts';
import type { AdmittedStore } from '../stores/admission.ts';
import type { CreateInvoiceBody } from './create-invoice-body.ts';
import { createTransId, lifetimeOf } from './invoice.ts';
import { usd } from './invoice-view.ts';
import type { CreatedInvoice, InsertOutcome, NewInvoice, PresentInvoice } from './new-invoice-store.ts';
import { insertInvoices } from './new-invoice-store.ts';

/** A raced insert finds the winner's invoice on the next try; more than a few would mean that it is being undone. */
const MAX_TRIES = 4;
const MAX_TOGETHER = 32;
const MAX_RUNNING = 3;

export type InsertInvoice = (invoice: NewInvoice) => Promise<PromiseSettledResult<InsertOutcome>>;

/** Invoices that arrive while statements are under way are inserted together, in one commit. */
export function createInsertInvoice(database: Database): InsertInvoice {
  return createBatcher({
    run: (invoices) => insertInvoices(database.pool, invoices),
    maxAsks: MAX_TOGETHER,
    maxRunning: MAX_RUNNING,
  });
}

export type CreateInvoiceContext = {
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  insertInvoice: InsertInvoice;
};

export async function createInvoice(
  context: CreateInvoiceContext,
  store: AdmittedStore,
  body: CreateInvoiceBody,
): Promise<CreatedInvoice> {
  const invoice = newInvoice(context.clock.nowMs(), store, body);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const settled = await context.insertInvoice(invoice);
    if (settled.status === 'rejected') throw settled.reason;
    const result = settled.value;
    switch (result.outcome) {
      case 'created':
        return { ...invoice, status: 'waiting', replay: false };
      case 'replay':
        logDifferences(context.log, invoice, result.invoice);
        return { ...result.invoice, replay: true };
      case 'no-payment-method':
        throw new PublicError('NO_PAYMENT_METHOD');
      case 'insufficient-balance':
        throw await insufficientBalance(context.database, store, invoice);
      case 'raced':
    }
  }
  throw new Error(`Invoice of request ${invoice.requestId} was raced ${MAX_TRIES} times.`);
}

function newInvoice(nowMs: number, store: AdmittedStore, body: CreateInvoiceBody): NewInvoice {
  const amountUnits = requireDecimal(body.amount, USD_DECIMALS);
  const { createdAt, expiresAt } = lifetimeOf(nowMs, store.lifetimeMinutes);
  const inTrial = store.trialEndsAt !== null && nowMs < store.trialEndsAt.getTime();
  return {
    storeId: store.id,
    storeLive: store.live,
    transId: createTransId(store.shard),
    requestId: body.request_id ?? null,
    amountUsd: formatDecimal(amountUnits, USD_DECIMALS),
    name: body.name ?? null,
    description: body.description ?? null,
    callbackUrl: body.callback_url ?? null,
    completedUrl: body.completed_url ?? null,
    expiredUrl: body.expired_url ?? null,
    createdAt,
    expiresAt,
    feeMicroUsd: computeFee(amountUnits, store.feePlan, inTrial),
    period: periodOf(createdAt),
  };
}

function money(microUsd: bigint): string {
  return formatDecimal(microUsd, MICRO_USD_DECIMALS, 2);
}

async function insufficientBalance(
  database: Database,
  store: AdmittedStore,
  invoice: NewInvoice,
): Promise<PublicError> {
  const available = await readAvailable(database.queries, store.id);
  return new PublicError('INSUFFICIENT_BALANCE', {
    details: {
      current_balance: money(available),
      required_fee: money(invoice.feeMicroUsd),
      shortage: money(invoice.feeMicroUsd - available),
      fee_rate_percent: formatDecimal(store.feePlan.rateUnits, FEE_RATE_DECIMALS),
      discount_percent: formatDecimal(store.feePlan.discountUnits, DISCOUNT_DECIMALS),
      invoice_amount: usd(invoice.amountUsd),
    },
  });
}

const COMPARED = ['name', 'description', 'callbackUrl', 'completedUrl', 'expiredUrl'] as const;

/** A replay with another body changes nothing; the merchant's log reader should still be able to find it. */
function logDifferences(log: FastifyBaseLogger, asked: NewInvoice, present: PresentInvoice): void {
  const differing: string[] = COMPARED.filter((field) => asked[field] !== present[field]);
  if (usd(asked.amountUsd) !== usd(present.amountUsd)) differing.push('amountUsd');
  if (differing.length > 0)
    log.warn({ transId: present.transId, differing }, 'request_id was used again with another body');
}
