import { isDeepStrictEqual } from 'node:util';
import type { BaseLogger } from 'pino';
import type { Context } from '../db/context.ts';
import type { Database } from '../db/database.ts';
import { periodOf } from '../db/partition-sql.ts';
import { computeFee } from '../ledger/fee.ts';
import { readAvailable } from '../ledger/ledger-sql.ts';
import type { Actor } from '../lib/actor.ts';
import { createBatcher } from '../lib/batch.ts';
import { Refusal } from '../lib/refusal.ts';
import type { AskedAmount, PricedAmount } from '../rates/pricing.ts';
import { priceAmount } from '../rates/pricing.ts';
import type { ReadRate } from '../rates/read-rate.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';
import { createTransId, lifetimeOf } from './invoice.ts';
import { CREATED_INVOICES } from './invoice-topics.ts';
import type { CreatedInvoice, InsertOutcome, NewInvoice, PresentInvoice } from './new-invoice-sql.ts';
import { findPresentInvoice, insertInvoices } from './new-invoice-sql.ts';

/** Most attempts to insert. After a lost race the next one finds the other invoice, unless it is rolled back. */
const MAX_TRIES = 4;
const MAX_TOGETHER = 32;
const MAX_RUNNING = 3;

export type InsertInvoice = (invoice: NewInvoice) => Promise<PromiseSettledResult<InsertOutcome>>;

export function createInsertInvoice(database: Database): InsertInvoice {
  return createBatcher({
    run: (invoices) => insertInvoices(database.pool, invoices),
    maxAsks: MAX_TOGETHER,
    maxRunning: MAX_RUNNING,
  });
}

export type CreateInvoiceContext = Context & {
  log: Pick<BaseLogger, 'warn'>;
  insertInvoice: InsertInvoice;
  readRate: ReadRate;
};

export type CreateInvoiceInput = Pick<
  NewInvoice,
  'requestId' | 'name' | 'description' | 'callbackUrl' | 'completedUrl' | 'expiredUrl' | 'metadata' | 'methods'
> & {
  store: AdmittedStore;
  amount: AskedAmount;
  /** Null: as the store has it. */
  lifetimeMinutes: number | null;
};

export async function createInvoice(
  context: CreateInvoiceContext,
  _actor: Actor,
  input: CreateInvoiceInput,
): Promise<CreatedInvoice> {
  const priced = await priceOrReplay(context, input);
  if ('replay' in priced) return priced;
  const invoice = newInvoice(context.clock.nowMs(), input, priced);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const settled = await context.insertInvoice(invoice);
    if (settled.status === 'rejected') throw settled.reason;
    const result = settled.value;
    switch (result.outcome) {
      case 'created':
        CREATED_INVOICES.publish({ live: input.store.live });
        return { ...invoice, status: 'waiting', replay: false };
      case 'replay':
        logDifferences(context.log, invoice, result.invoice);
        return { ...result.invoice, replay: true };
      case 'no-payment-method':
        throw new Refusal('NO_PAYMENT_METHOD');
      case 'insufficient-balance':
        throw await insufficientBalance(context.database, input.store, invoice);
      case 'raced':
    }
  }
  throw new Error(`Invoice of request ${invoice.requestId} was raced ${MAX_TRIES} times.`);
}

/** The amount in USD. Where it has none now, a used request_id returns its invoice all the same. */
async function priceOrReplay(
  { database, readRate }: CreateInvoiceContext,
  { store, amount, requestId }: CreateInvoiceInput,
): Promise<PricedAmount | CreatedInvoice> {
  try {
    return await priceAmount(readRate, amount);
  } catch (cause) {
    const present =
      cause instanceof Refusal && requestId !== null
        ? await findPresentInvoice(database.pool, store.id, requestId)
        : undefined;
    if (!present) throw cause;
    return { ...present, replay: true };
  }
}

function newInvoice(
  nowMs: number,
  { store, amount: _amount, ...asked }: CreateInvoiceInput,
  { amountUnits, pricing }: PricedAmount,
): NewInvoice {
  const lifetimeMinutes = asked.lifetimeMinutes ?? store.lifetimeMinutes;
  const { createdAt, expiresAt } = lifetimeOf(nowMs, lifetimeMinutes);
  const inTrial = store.trialEndsAt !== null && nowMs < store.trialEndsAt.getTime();
  return {
    ...asked,
    amountUnits,
    pricing,
    lifetimeMinutes,
    storeId: store.id,
    transId: createTransId(store.shard),
    createdAt,
    expiresAt,
    // Test stores pay no fees.
    feeMicroUsd: store.live ? computeFee(amountUnits, store.feePlan, inTrial) : 0n,
    period: periodOf(createdAt),
  };
}

async function insufficientBalance(
  database: Database,
  { id, feePlan }: AdmittedStore,
  { feeMicroUsd, amountUnits }: NewInvoice,
): Promise<Refusal> {
  return new Refusal('INSUFFICIENT_BALANCE', {
    availableMicroUsd: await readAvailable(database.queries, id),
    feeMicroUsd,
    feeRateUnits: feePlan.rateUnits,
    discountUnits: feePlan.discountUnits,
    amountUnits,
  });
}

const COMPARED = ['name', 'description', 'callbackUrl', 'completedUrl', 'expiredUrl'] as const;

function logDifferences(log: Pick<BaseLogger, 'warn'>, asked: NewInvoice, present: PresentInvoice): void {
  const differing: string[] = COMPARED.filter((field) => asked[field] !== present[field]);
  // The rate may have changed since; the amount that was asked for has not.
  if (asked.pricing?.currency !== present.pricing?.currency) differing.push('currency');
  else if (asked.pricing?.currencyAmount !== present.pricing?.currencyAmount) differing.push('currencyAmount');
  else if (!asked.pricing && asked.amountUnits !== present.amountUnits) differing.push('amountUsd');
  for (const field of ['metadata', 'methods'] as const)
    if (!isDeepStrictEqual(asked[field], present[field])) differing.push(field);
  if (differing.length > 0)
    log.warn({ transId: present.transId, differing }, 'request_id was used again with another body');
}
