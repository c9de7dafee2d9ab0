import { requireDecimal } from '@counterfoil/core/amount.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { QUOTED_SHARE } from '../confirmations/confirmation-sql.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { QuoteRow } from '../quotes/quote.ts';
import type { HealthInJson } from '../wallets/exchange-account-sql.ts';
import { healthOf } from '../wallets/exchange-account-sql.ts';
import type { FollowedNetwork, SelectionFacts } from './decide-selection.ts';

/** Facts of a selection, and the SQL that shows the selected quote. */

/** The end of a price outage that test store `s` requested; otherwise null. */
export const PRICES_GONE_UNTIL = `case when not s.live then (
  select nullif(f.prices_gone_until, '-infinity') from test_faults f where f.store_id = s.id) end`;

type InJson<Fact, Key extends keyof Fact> = Omit<Fact, Key> & Record<Key, string>;

type SelectionRow = Omit<SelectionFacts, 'amountUnits' | 'quotes' | 'followed' | 'wallets'> & {
  wallets: { network: string; address: string; stopped: boolean; exchange: HealthInJson | null }[];
  amountUsd: string;
  quotes: InJson<QuoteRow, 'id' | 'displayUnits'>[];
  followed: (InJson<FollowedNetwork, 'readTime' | 'headTime'> & { headReadAt: string | null })[];
};

function factsOf({ amountUsd, quotes, followed, wallets, ...row }: SelectionRow): SelectionFacts {
  return {
    ...row,
    amountUnits: requireDecimal(amountUsd, USD_DECIMALS),
    wallets: wallets.map((wallet) => ({ ...wallet, exchange: wallet.exchange && healthOf(wallet.exchange) })),
    quotes: quotes.map((quote) => ({ ...quote, id: BigInt(quote.id), displayUnits: BigInt(quote.displayUnits) })),
    followed: followed.map((one) => ({
      ...one,
      readTime: new Date(one.readTime),
      headTime: new Date(one.headTime),
      headReadAt: one.headReadAt === null ? null : new Date(one.headReadAt),
    })),
  };
}

/**
 * Reads the facts of a selection. `for update` takes the lock of expiry: the invoice's columns are then current, but
 * quotes and wallets are older and are checked again by the statement that writes the quote.
 */
export async function readSelectionFacts(
  queries: Queries | Tx,
  transId: string,
  lock?: 'for update',
): Promise<SelectionFacts | undefined> {
  const { rows } = await sql<SelectionRow>`
    select i.id, i.store_id as "storeId", s.live, i.status, i.amount_usd as "amountUsd", i.expires_at as "expiresAt", i.methods,
      ${sql.raw(QUOTED_SHARE)} as "quotedShare", ${sql.raw(PRICES_GONE_UNTIL)} as "pricesGoneUntil",
      coalesce((
        select json_agg(json_build_object('id', q.id::text, 'network', q.network, 'token', q.token, 'toAddress', q.to_address,
          'displayUnits', q.display_units::text, 'tokenAmount', q.token_amount::text, 'tokenPriceUsd', q.token_price_usd::text,
          'finality', q.finality, 'reference', q.reference) order by q.id)
        from quotes q where q.invoice_id = i.id), '[]') as quotes,
      coalesce((
        select json_agg(json_build_object('network', w.network, 'address', w.address, 'stopped', exists (
            select from followed_accounts f where f.network = w.network and f.account = w.address and f.stopped_at is not null), 'exchange', case when x.network is not null then
            json_build_object('checkedAt', x.checked_at, 'keyExpiresAt', x.key_expires_at, 'fault', x.fault,
              'stopped', x.stopped_at is not null) end) order by w.id)
        from wallets w left join exchange_accounts x on x.network = w.network and x.account = w.address
        where w.store_id = i.store_id and w.removed_at is null), '[]') as wallets,
      coalesce((
        select json_agg(json_build_object('network', c.network, 'readTime', c.block_time, 'headTime', c.head_time,
          'headReadAt', c.head_read_at, 'frozen', c.frozen_at is not null))
        from chains c where c.retired_at is null), '[]') as followed
    from invoices i join stores s on s.id = i.store_id where i.trans_id = ${transId} ${lock ? sql`for update of i` : sql``}`.execute(
    queries,
  );
  return rows[0] && factsOf(rows[0]);
}

/**
 * SQL that shows the quote in `selected`, sets a missing gate, and records the change. The gate is the coverage (per
 * address, on networks read by account) that must pass the invoice's end before it expires.
 */
export function showSelected(readsAccounts: boolean): RawBuilder<unknown> {
  return sql`shown as (
      update invoices i set quote_id = s.id, gate_network = coalesce(i.gate_network, s.network),
        gate_tier = coalesce(i.gate_tier, s.gate_tier, s.finality),
        gate_scope = case when i.gate_network is not null then i.gate_scope when ${readsAccounts}::boolean then s.to_address else '' end
      from selected s where i.id = s.invoice_id returning i.id
    ), told as (
      insert into invoice_changes (invoice_id) select id from shown
    )`;
}

/** Shows an existing quote. */
export async function showQuote(tx: Tx, quoteId: bigint, readsAccounts: boolean): Promise<void> {
  await sql`
    with selected as (
      select id, invoice_id, network, finality, gate_tier, to_address from quotes where id = ${quoteId}
    ), ${showSelected(readsAccounts)}
    select from shown`.execute(tx);
}
