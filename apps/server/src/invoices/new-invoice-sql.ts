import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { isRefusal, runPrepared } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { InvoiceStatus } from './invoice.ts';
import { lifetimeBetween } from './invoice.ts';
import type { Pricing, PricingColumns, ShownPricing } from '../rates/pricing.ts';
import { readPricing } from '../rates/pricing.ts';
import type { Metadata } from './metadata.ts';

export type NewInvoice = {
  storeId: bigint;
  transId: string;
  requestId: string | null;
  amountUnits: bigint;
  name: string | null;
  description: string | null;
  callbackUrl: string | null;
  completedUrl: string | null;
  expiredUrl: string | null;
  createdAt: Date;
  expiresAt: Date;
  feeMicroUsd: bigint;
  period: string;
  lifetimeMinutes: number;
  /** Null when no currency was supplied. */
  pricing: Pricing | null;
  metadata: Metadata | null;
  /** Payment methods in the public form, such as `BSC:USDT`; null: all of the store. */
  methods: readonly string[] | null;
};

/** Columns of an invoice `p` that is there already. */
const PRESENT_COLUMNS = `p.trans_id, p.status, p.amount_usd, p.created_at, p.expires_at, p.name, p.description, p.callback_url,
  p.completed_url, p.expired_url, p.lifetime_minutes, p.metadata, p.methods, p.currency, p.currency_amount, p.exchange_rate`;

/**
 * Inserts invoices, then holds their fees. A used request_id returns the existing invoice; a store without payment
 * method or balance inserts nothing. Fees that fit only one by one violate the balance's check constraint (23514),
 * which rolls the statement back. Keys are inserted and balances locked in order, to avoid deadlocks.
 */
export const CREATE_STATEMENT: Prepared = {
  name: 'create-invoices',
  text: `
with asked as (
  select * from unnest($1::bigint[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::timestamptz[], $11::timestamptz[], $12::bigint[], $13::date[], $14::smallint[], $15::jsonb[], $16::text[],
    $17::text[], $18::numeric[], $19::numeric[], $20::jsonb[]) with ordinality as a (store_id, trans_id, request_id, amount_usd, name, description, callback_url, completed_url,
    expired_url, created_at, expires_at, fee_micro_usd, period, lifetime_minutes, metadata, methods, currency,
    currency_amount, exchange_rate, rate_evidence, position)
), judged as (
  select a.*, p.id as present_id,
    exists (select from wallets w where w.store_id = a.store_id and w.removed_at is null
      and (a.methods is null or exists (select from unnest(string_to_array(a.methods, ',')) as m (method)
        where starts_with(m.method, split_part(replace(w.network, '${SANDBOX_PREFIX}', ''), ':', 1) || ':')))) as payable,
    b.available_micro_usd + b.overdraft_micro_usd >= a.fee_micro_usd as affordable
  from asked a
    join balances b on b.store_id = a.store_id
    left join invoices p on p.store_id = a.store_id and p.request_id = a.request_id
), inserted as (
  insert into invoices (store_id, trans_id, request_id, amount_usd, name, description, callback_url, completed_url,
    expired_url, created_at, expires_at, fee_micro_usd, lifetime_minutes, metadata, methods, currency, currency_amount,
    exchange_rate, rate_evidence)
  select store_id, trans_id, request_id, amount_usd, name, description, callback_url, completed_url, expired_url,
    created_at, expires_at, fee_micro_usd, lifetime_minutes, metadata, string_to_array(methods, ','), currency,
    currency_amount, exchange_rate, rate_evidence
  from judged where present_id is null and payable and affordable
  order by store_id, request_id
  on conflict (store_id, request_id) where request_id is not null do nothing
  returning id, store_id, trans_id, fee_micro_usd, created_at
), locked as (
  select b.store_id, f.fee
  from (select store_id, sum(fee_micro_usd)::bigint as fee from inserted where fee_micro_usd > 0 group by store_id) f
    join balances b on b.store_id = f.store_id
  order by b.store_id for update of b
), held as (
  update balances b set available_micro_usd = b.available_micro_usd - l.fee from locked l where b.store_id = l.store_id
), entered as (
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select j.period, i.store_id, 'hold', 'available', 'held', i.fee_micro_usd, i.id, 1, i.created_at
  from inserted i join judged j on j.trans_id = i.trans_id where i.fee_micro_usd > 0
)
select i.id is not null as inserted, j.payable, j.affordable,
  ${PRESENT_COLUMNS}
from judged j left join inserted i on i.trans_id = j.trans_id left join invoices p on p.id = j.present_id
order by j.position`,
};

export type PresentInvoice = {
  transId: string;
  status: InvoiceStatus;
  amountUnits: bigint;
  createdAt: Date;
  expiresAt: Date;
  name: string | null;
  description: string | null;
  callbackUrl: string | null;
  completedUrl: string | null;
  expiredUrl: string | null;
  lifetimeMinutes: number;
  pricing: ShownPricing | null;
  metadata: Metadata | null;
  methods: readonly string[] | null;
};

export type CreatedInvoice = Pick<
  PresentInvoice,
  'transId' | 'status' | 'amountUnits' | 'lifetimeMinutes' | 'pricing'
> & {
  replay: boolean;
};

export type InsertOutcome =
  | { outcome: 'created' }
  | { outcome: 'replay'; invoice: PresentInvoice }
  | { outcome: 'no-payment-method' }
  | { outcome: 'insufficient-balance' }
  /** Another request with the same request_id is being inserted: a retry finds its invoice. */
  | { outcome: 'raced' };

type CreateRow = {
  inserted: boolean;
  payable: boolean;
  affordable: boolean;
  trans_id: string | null;
  status: InvoiceStatus;
  amount_usd: string;
  created_at: Date;
  expires_at: Date;
  name: string | null;
  description: string | null;
  callback_url: string | null;
  completed_url: string | null;
  expired_url: string | null;
  lifetime_minutes: number | null;
  metadata: Metadata | null;
  methods: string[] | null;
} & PricingColumns;

function outcomeOf(row: CreateRow): InsertOutcome {
  if (row.inserted) return { outcome: 'created' };
  if (row.trans_id === null) {
    if (!row.payable) return { outcome: 'no-payment-method' };
    return { outcome: row.affordable ? 'raced' : 'insufficient-balance' };
  }
  return { outcome: 'replay', invoice: presentOf({ ...row, trans_id: row.trans_id }) };
}

type PresentRow = Omit<CreateRow, 'inserted' | 'payable' | 'affordable'> & { trans_id: string };

function presentOf(row: PresentRow): PresentInvoice {
  return {
    transId: row.trans_id,
    status: row.status,
    amountUnits: requireDecimal(row.amount_usd, USD_DECIMALS),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    name: row.name,
    description: row.description,
    callbackUrl: row.callback_url,
    completedUrl: row.completed_url,
    expiredUrl: row.expired_url,
    lifetimeMinutes: row.lifetime_minutes ?? lifetimeBetween(row.created_at, row.expires_at),
    pricing: readPricing(row),
    metadata: row.metadata,
    methods: row.methods,
  };
}

const FIND_PRESENT: Prepared = {
  name: 'find-present-invoice',
  text: `select ${PRESENT_COLUMNS} from invoices p where p.store_id = $1 and p.request_id = $2`,
};

/** The invoice of a request_id that was used before. */
export async function findPresentInvoice(
  pool: pg.Pool,
  storeId: bigint,
  requestId: string,
): Promise<PresentInvoice | undefined> {
  const [row] = await runPrepared<PresentRow>(pool, FIND_PRESENT, [storeId, requestId]);
  return row && presentOf(row);
}

const BALANCE_CHECK = 'balances_available_enough';

function valuesOf(invoices: readonly NewInvoice[]): unknown[] {
  return [
    invoices.map((invoice) => invoice.storeId),
    invoices.map((invoice) => invoice.transId),
    invoices.map((invoice) => invoice.requestId),
    invoices.map((invoice) => formatDecimal(invoice.amountUnits, USD_DECIMALS)),
    invoices.map((invoice) => invoice.name),
    invoices.map((invoice) => invoice.description),
    invoices.map((invoice) => invoice.callbackUrl),
    invoices.map((invoice) => invoice.completedUrl),
    invoices.map((invoice) => invoice.expiredUrl),
    invoices.map((invoice) => invoice.createdAt),
    invoices.map((invoice) => invoice.expiresAt),
    invoices.map((invoice) => invoice.feeMicroUsd),
    invoices.map((invoice) => invoice.period),
    invoices.map((invoice) => invoice.lifetimeMinutes),
    invoices.map(({ metadata }) => metadata && JSON.stringify(metadata)),
    invoices.map(({ methods }) => methods?.join(',') ?? null),
    invoices.map(({ pricing }) => pricing?.currency ?? null),
    invoices.map(({ pricing }) => pricing?.currencyAmount ?? null),
    invoices.map(({ pricing }) => pricing?.exchangeRate ?? null),
    invoices.map(({ pricing }) => pricing?.evidence && JSON.stringify(pricing.evidence)),
  ];
}

async function insertTogether(pool: pg.Pool, invoices: readonly NewInvoice[]): Promise<InsertOutcome[]> {
  return (await runPrepared<CreateRow>(pool, CREATE_STATEMENT, valuesOf(invoices))).map(outcomeOf);
}

/** Inserts an invoice in a transaction. A database error ends it: `wasOverdrawn` tests for insufficient balance. */
export async function insertInvoiceIn(tx: Tx, invoice: NewInvoice): Promise<InsertOutcome> {
  const { rows } = await tx.executeQuery<CreateRow>(CompiledQuery.raw(CREATE_STATEMENT.text, valuesOf([invoice])));
  const [row] = rows;
  if (!row) throw new Error('Create answered no row.');
  return outcomeOf(row);
}

export const wasOverdrawn = (cause: unknown) => isRefusal(cause, BALANCE_CHECK);

async function insertAlone(pool: pg.Pool, invoice: NewInvoice): Promise<InsertOutcome> {
  try {
    const [outcome] = await insertTogether(pool, [invoice]);
    if (!outcome) throw new Error('Create answered no row.');
    return outcome;
  } catch (cause) {
    if (wasOverdrawn(cause)) return { outcome: 'insufficient-balance' };
    throw cause;
  }
}

/** Inserts invoices in one statement, or one by one if it fails, so that one faulty request fails no other. */
export async function insertInvoices(
  pool: pg.Pool,
  invoices: readonly NewInvoice[],
): Promise<PromiseSettledResult<InsertOutcome>[]> {
  if (invoices.length > 1) {
    try {
      const outcomes = await insertTogether(pool, invoices);
      return outcomes.map((value) => ({ status: 'fulfilled', value }));
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
    }
  }
  return Promise.allSettled(invoices.map((invoice) => insertAlone(pool, invoice)));
}
