import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { HeadFact } from '../chains/judge-clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import type { InvoiceStatus } from './invoice.ts';
import type { AmountBand } from '../quotes/quote.ts';
import { GIVEN_PER_ROUND, KEPT_RESIDUE, placesOf, RESIDUES, ROUND_UNITS, unitsAtPlace } from '../quotes/quote.ts';

/** What a customer can select, and the amounts that are free. */

export type SelectableInvoice = {
  id: bigint;
  storeId: bigint;
  status: InvoiceStatus;
  amountUsd: string;
  expiresAt: Date;
  gated: boolean;
};

type InvoiceChoice = Omit<SelectableInvoice, 'gated'> & { gated: boolean };

/** `live` is the store's: an invoice of a test store offers no live network. */
export async function findSelectable(
  queries: Queries,
  transId: string,
): Promise<(SelectableInvoice & { live: boolean }) | undefined> {
  const { rows } = await sql<InvoiceChoice & { live: boolean }>`
    select i.id, i.store_id as "storeId", i.status, i.amount_usd as "amountUsd", i.expires_at as "expiresAt",
      i.gate_network is not null as gated, s.live
    from invoices i join stores s on s.id = i.store_id where i.trans_id = ${transId}`.execute(queries);
  return rows[0];
}

/** Takes the row lock that expiry takes. */
export async function lockSelectable(tx: Tx, id: bigint): Promise<SelectableInvoice> {
  const { rows } = await sql<InvoiceChoice>`
    select id, store_id as "storeId", status, amount_usd as "amountUsd", expires_at as "expiresAt", gate_network is not null as gated
    from invoices where id = ${id} for update`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Invoice ${id} is gone.`);
  return row;
}

export async function readWalletAddresses(
  queries: Queries,
  storeId: bigint,
): Promise<{ network: string; address: string }[]> {
  return queries
    .selectFrom('wallets')
    .select(['network', 'address'])
    .where('store_id', '=', storeId)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
}

export type QuoteRow = {
  id: bigint;
  network: string;
  token: string;
  toAddress: string;
  displayUnits: bigint;
  tokenAmount: string;
  tokenPriceUsd: string;
  finality: string;
  /** The key that a payment may carry to say that it is for this quote; null where none can. */
  reference: string | null;
};

export async function readQuotes(queries: Queries | Tx, invoiceId: bigint): Promise<QuoteRow[]> {
  const { rows } = await sql<QuoteRow>`
    select id, network, token, to_address as "toAddress", display_units as "displayUnits", token_amount as "tokenAmount",
      token_price_usd as "tokenPriceUsd", finality, reference
    from quotes where invoice_id = ${invoiceId} order by id`.execute(queries);
  return rows;
}

export type NewQuote = Omit<QuoteRow, 'id'> & { invoiceId: bigint; priceSources: unknown; at: Date };

/** Draws the quote's id first, because the amount is taken in its name before the quote is written. */
export async function drawQuoteId(tx: Tx): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`select nextval(pg_get_serial_sequence('quotes', 'id')) as id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('No quote id could be drawn.');
  return row.id;
}

export async function insertQuote(tx: Tx, id: bigint, quote: NewQuote): Promise<void> {
  await sql`
    insert into quotes (id, invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
      finality, price_sources, held_from, reference)
    overriding system value
    values (${id}, ${quote.invoiceId}, ${quote.network}, ${quote.token}, ${quote.toAddress}, ${quote.tokenAmount}, ${quote.tokenPriceUsd},
      ${quote.at}, ${quote.displayUnits}, ${quote.finality}, ${JSON.stringify(quote.priceSources)}, ${quote.at}, ${quote.reference})`.execute(
    tx,
  );
}

/** The store's addresses on a network, none of which can be removed before this transaction ends. */
export async function lockWalletAddresses(tx: Tx, storeId: bigint, network: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('wallets')
    .select('address')
    .where('store_id', '=', storeId)
    .where('network', '=', network)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute();
  return rows.map((row) => row.address);
}

/** Shows the quote, and gates the expiry of an invoice that had no gate yet. */
export async function showQuote(
  tx: Tx,
  invoiceId: bigint,
  quoteId: bigint,
  gate: { network: string; tier: string; scope: string },
): Promise<void> {
  await sql`
    update invoices set quote_id = ${quoteId}, gate_network = coalesce(gate_network, ${gate.network}),
      gate_tier = coalesce(gate_tier, ${gate.tier}), gate_scope = case when gate_network is null then ${gate.scope} else gate_scope end
    where id = ${invoiceId}`.execute(tx);
}

export type Slot = { network: string; token: string; address: string; quoteId: bigint; at: Date };

/**
 * Takes one amount if it is free or its rest is over. A taken one is passed over before the upsert, which would lock its
 * row: in a full band two selections would then wait for each other.
 */
export async function takeSlot(tx: Tx, slot: Slot, displayUnits: bigint): Promise<boolean> {
  const { rows } = await sql`
    insert into amount_slots as s (network, token, address, display_units, quote_id)
    select ${slot.network}, ${slot.token}, ${slot.address}, ${displayUnits}::bigint, ${slot.quoteId}::bigint
    where not exists (select from amount_slots t where t.network = ${slot.network} and t.token = ${slot.token}
      and t.address = ${slot.address} and t.display_units = ${displayUnits}::bigint and t.held_until >= ${slot.at})
    on conflict (network, token, address, display_units) do update set quote_id = excluded.quote_id, held_until = 'infinity'
    where s.held_until < ${slot.at}
    returning quote_id`.execute(tx);
  return rows.length > 0;
}

/**
 * Amounts of a band that look free, for when random draws keep missing: one out of every gap, at random, so that those
 * who search at once find different ones. One walk over the band, whatever the planner believes of its size. Gaps are
 * those between places among the amounts that may be given out, so that none is found that may not.
 */
export async function findFreeUnits(tx: Tx, slot: Slot, band: AmountBand, limit: number): Promise<bigint[]> {
  const { base, salts } = band;
  const { first, end } = placesOf(base, salts);
  const inRound = sql`(display_units % ${ROUND_UNITS}::bigint)`;
  const { rows } = await sql<{ place: bigint }>`
    with held as (
      select ${first - 1n}::bigint as place
      union all
      select display_units / ${ROUND_UNITS}::bigint * ${GIVEN_PER_ROUND}::bigint + ${inRound} - 1 - ${inRound} / ${RESIDUES}::bigint
      from amount_slots where network = ${slot.network} and token = ${slot.token} and address = ${slot.address}
        and display_units between ${base}::bigint and ${base + salts}::bigint and held_until >= ${slot.at}
        and ${inRound} <> 0 and display_units % ${RESIDUES}::bigint <> ${KEPT_RESIDUE}::bigint
    ), gaps as (
      select place, lead(place, 1, ${end}::bigint) over (order by place) - place - 1 as free from held
    )
    select place + 1 + floor(random() * free)::bigint as place from gaps where free > 0 order by random() limit ${limit}`.execute(
    tx,
  );
  return rows.map((row) => unitsAtPlace(row.place));
}

export type FollowedNetwork = HeadFact & ReadingFact & { frozen: boolean };

/** Networks that are followed and not given up. */
export async function readFollowed(queries: Queries): Promise<FollowedNetwork[]> {
  const { rows } = await sql<FollowedNetwork>`
    select network, block_time as "readTime", head_time as "headTime", head_read_at as "headReadAt", frozen_at is not null as frozen
    from chains where retired_at is null`.execute(queries);
  return rows;
}
