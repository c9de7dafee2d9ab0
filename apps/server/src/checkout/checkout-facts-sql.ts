import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { ExchangeAccountHealth } from '../wallets/exchange-account.ts';
import type { HealthInJson } from '../wallets/exchange-account-sql.ts';
import { healthOf } from '../wallets/exchange-account-sql.ts';
import type { InvoiceStatus } from '../invoices/invoice.ts';
import { PRICES_GONE_UNTIL } from '../invoices/selection-sql.ts';

/** Facts of checkout pages, read for many invoices in one query. Visitors need only the invoice's code. */

/** Amounts and ids are text, because they pass through JSON. */
export type QuoteFact = {
  id: string;
  network: string;
  token: string;
  toAddress: string;
  displayUnits: string;
  tokenAmount: string;
  tokenPriceUsd: string;
  finality: string;
  reference: string | null;
  createdAtSeconds: number;
  /** Whether an unmatched transfer near its amount may be meant for it or for another open quote. */
  isAsked: boolean;
};

export type TransferFact = {
  id: string;
  network: string;
  token: string;
  txId: string;
  units: string;
  height: number;
  timeSeconds: number;
  reason: string | null;
  quoteId: string | null;
};

type ExchangeFact = ExchangeAccountHealth & { network: string };

export type CheckoutFacts = {
  id: bigint;
  transId: string;
  status: InvoiceStatus;
  amountUsd: string;
  /** The supplied price, in a currency. */
  currency: string | null;
  currencyAmount: string | null;
  exchangeRate: string | null;
  name: string | null;
  description: string | null;
  completedUrl: string | null;
  expiredUrl: string | null;
  expiresAt: Date;
  methods: readonly string[] | null;
  cancelledAt: Date | null;
  late: boolean;
  quoteId: bigint | null;
  paidTransferId: bigint | null;
  storeId: bigint;
  merchantAccountId: bigint;
  /** A test store's page says that it is a test. */
  live: boolean;
  /** The end of a price outage that a test store requested, if any. */
  pricesGoneUntil: Date | null;
  storeName: string;
  accent: string | null;
  /** File name of the logo. */
  logo: string | null;
  /** Where payers get help. */
  supportUrl: string | null;
  supportEmail: string | null;
  walletNetworks: string[];
  exchanges: ExchangeFact[];
  quotes: QuoteFact[];
  transfers: TransferFact[];
  /** Transactions that customers submitted for this invoice. */
  claimedTxIds: string[];
  /** Snapshot number, never decreasing. Not shown to visitors: it reveals the database's activity. */
  version: string;
};

/** Newest transfers per invoice: strangers can send any number. */
const MAX_TRANSFERS = 20;
/** As many as an invoice can have. */
const MAX_CLAIMS = 10;

/**
 * Reads the facts of checkout pages. Transfers are attached ones, and those that can only have been meant for a quote.
 * Test stores offer only sandbox networks; older quotes on others are read only while the invoice is processing or
 * completed.
 */
export const FACTS_STATEMENT: Prepared = {
  name: 'read-checkout-facts',
  text: `
select a.position::integer as position, i.id, i.trans_id as "transId", i.status, i.amount_usd as "amountUsd",
  i.currency, i.currency_amount as "currencyAmount", i.exchange_rate as "exchangeRate", i.name, i.description,
  i.completed_url as "completedUrl", i.expired_url as "expiredUrl", i.expires_at as "expiresAt", i.cancelled_at as "cancelledAt", i.late, i.methods, i.quote_id as "quoteId",
  i.paid_transfer_id as "paidTransferId", i.store_id as "storeId",
  s.merchant_account_id as "merchantAccountId", s.live, ${PRICES_GONE_UNTIL} as "pricesGoneUntil", coalesce(b.display_name, s.name) as "storeName", b.accent,
  l.hash || '.' || l.extension as logo, b.support_url as "supportUrl", b.support_email as "supportEmail", w.networks as "walletNetworks", w.exchanges, coalesce(q.quotes, '[]') as quotes,
  coalesce(t.transfers, '[]') as transfers,
  array(select n.tx_id from named_transactions n where n.invoice_id = i.id and n.named_by = 'payer' limit ${MAX_CLAIMS}) as "claimedTxIds", pg_snapshot_xmax(pg_current_snapshot())::text as version
from unnest($1::text[]) with ordinality as a (trans_id, position)
  join invoices i on i.trans_id = a.trans_id
  join stores s on s.id = i.store_id
  left join brands b on b.store_id = i.store_id
  left join logos l on l.hash = b.logo_hash
  cross join lateral (select coalesce(array_agg(distinct w.network), '{}') as networks,
      coalesce(json_agg(json_build_object('network', x.network, 'checkedAt', x.checked_at, 'keyExpiresAt', x.key_expires_at,
        'fault', x.fault, 'stopped', x.stopped_at is not null)) filter (where x.network is not null), '[]') as exchanges
    from wallets w left join exchange_accounts x on x.network = w.network and x.account = w.address
    where w.store_id = i.store_id and w.removed_at is null and (s.live or starts_with(w.network, '${SANDBOX_PREFIX}'))) w
  cross join lateral (select json_agg(json_build_object('id', id::text, 'network', network, 'token', token, 'toAddress', to_address,
      'displayUnits', display_units::text, 'tokenAmount', token_amount::text, 'tokenPriceUsd', token_price_usd::text,
      'finality', finality, 'reference', reference, 'createdAtSeconds', extract(epoch from created_at)::float8,
      'isAsked', near_transfer_id is not null and exists (select from transfers n where n.id = near_transfer_id and n.canonical
        and n.reason is not null and n.quote_id is null and n.invoice_id is null)) order by id) as quotes
    from quotes where invoice_id = i.id and (s.live or starts_with(network, '${SANDBOX_PREFIX}') or i.status in ('processing', 'completed'))) q
  cross join lateral (select json_agg(json_build_object('id', id::text, 'network', network, 'token', token, 'txId', tx_id,
      'units', units::text, 'height', height, 'timeSeconds', extract(epoch from block_time)::float8, 'reason', reason,
      'quoteId', quote_id::text) order by id desc) as transfers
    from (
      select * from (select * from transfers where invoice_id = i.id and canonical
        union all
        select f.* from quotes q join transfers f on f.quote_id = q.id and f.invoice_id is null and f.quote_id is not null
        where q.invoice_id = i.id and f.canonical) of_invoice
      order by id desc limit ${MAX_TRANSFERS}) newest) t`,
};

type FactsRow = Omit<CheckoutFacts, 'exchanges'> & {
  position: number;
  exchanges: (HealthInJson & { network: string })[];
};

function exchangeOf({ network, ...health }: FactsRow['exchanges'][number]): ExchangeFact {
  return { network, ...healthOf(health) };
}

/** In the order of the codes; undefined for unknown codes. */
export async function readCheckoutFacts(
  pool: pg.Pool,
  transIds: readonly string[],
): Promise<(CheckoutFacts | undefined)[]> {
  const rows = await runPrepared<FactsRow>(pool, FACTS_STATEMENT, [transIds]);
  const found: (CheckoutFacts | undefined)[] = transIds.map(() => undefined);
  for (const row of rows) found[row.position - 1] = { ...row, exchanges: row.exchanges.map(exchangeOf) };
  return found;
}
