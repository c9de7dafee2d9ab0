import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { AmountBand, AmountShare, QuoteRow } from './quote.ts';
import { GIVEN_PER_ROUND, KEPT_RESIDUE, placesOf, RESIDUES, ROUND_UNITS, unitsAtPlace } from './quote.ts';

/** SQL of quotes and their amounts. */

export type NewQuote = Omit<QuoteRow, 'id' | 'displayUnits' | 'tokenAmount'> & {
  invoiceId: bigint;
  storeId: bigint;
  priceSources: unknown;
  gateTier: string | null;
  at: Date;
};

type Amount = Pick<QuoteRow, 'displayUnits' | 'tokenAmount'>;

type InsertedQuote =
  | { outcome: 'inserted'; quote: Pick<QuoteRow, 'id' | 'displayUnits' | 'tokenAmount'> }
  /** `lost`: another quote took the amount first. `taken`: no amount was free. */
  | { outcome: 'lost' | 'taken' }
  /** The wallet was removed, or the invoice already has a quote for this token and network. */
  | { outcome: 'overtaken' };

type InsertedRow = { id: bigint | null; units: bigint | null; amount: string | null; stands: boolean; free: boolean };

function outcomeOf(row: InsertedRow): InsertedQuote {
  const { id, units: displayUnits, amount: tokenAmount } = row;
  if (id !== null && displayUnits !== null && tokenAmount !== null)
    return { outcome: 'inserted', quote: { id, displayUnits, tokenAmount } };
  return { outcome: row.free ? 'lost' : row.stands ? 'taken' : 'overtaken' };
}

/**
 * Writes a quote with the first free amount (or one past its quarantine), unless the wallet was removed or the invoice
 * has a quote for this token and network; the wallet stays locked until the transaction ends. Taken amounts are
 * excluded before the upsert, which would lock their rows: two selections could deadlock in a full band. `along` are
 * further parts of the statement. They read the quote from `selected (id, invoice_id, network, finality, gate_tier,
 * to_address)`, which is empty when none was written.
 */
export async function insertQuote(
  tx: Tx,
  quote: NewQuote,
  amounts: readonly Amount[],
  along: readonly RawBuilder<unknown>[],
): Promise<InsertedQuote> {
  const { network, token, toAddress, invoiceId, at } = quote;
  const selected = sql`selected as (
      insert into quotes (id, invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
        finality, gate_tier, price_sources, held_from, reference)
      overriding system value
      select d.id, ${invoiceId}::bigint, ${network}, ${token}, ${toAddress}, d.amount, ${quote.tokenPriceUsd}::numeric,
        ${at}::timestamptz, d.units, ${quote.finality}, ${quote.gateTier}, ${JSON.stringify(quote.priceSources)}::jsonb, ${at}::timestamptz, ${quote.reference}
      from drawn d join slot s on s.quote_id = d.id
      returning id, invoice_id, network, finality, gate_tier, to_address
    )`;
  const { rows } = await sql<InsertedRow>`
    with wallet as materialized (
      select id from wallets
      where store_id = ${quote.storeId} and network = ${network} and address = ${toAddress} and removed_at is null for share
    ), wanted as materialized (
      select id from wallet
      where not exists (select from quotes q where q.invoice_id = ${invoiceId} and q.network = ${network} and q.token = ${token})
    ), free as materialized (
      select a.units, a.amount
      from wanted, ${unnestRows(amounts, 'a', {
        units: ['bigint', ({ displayUnits }) => displayUnits],
        amount: ['numeric', ({ tokenAmount }) => tokenAmount],
        place: ['integer', (_amount, place) => place],
      })}
      where coalesce((
        select s.held_until from amount_slots s where s.network = ${network} and s.token = ${token}
          and s.address = ${toAddress} and s.display_units = a.units), '-infinity') < ${at}
      order by a.place limit 1
    ), drawn as materialized (
      select nextval(pg_get_serial_sequence('quotes', 'id')) as id, units, amount from free
    ), slot as (
      insert into amount_slots as s (network, token, address, display_units, quote_id)
      select ${network}, ${token}, ${toAddress}, units, id from drawn
      on conflict (network, token, address, display_units) do update set quote_id = excluded.quote_id, held_until = 'infinity'
      where s.held_until < ${at}
      returning quote_id
    ), ${sql.join([selected, ...along])}
    select q.id, d.units, d.amount, exists (select from wanted) as stands, exists (select from free) as free
    from (select) one left join drawn d on true left join selected q on true`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('A new quote was not answered for.');
  return outcomeOf(row);
}

type AmountsOf = Pick<NewQuote, 'network' | 'token' | 'toAddress' | 'at'>;

/**
 * Finds free amounts when all random ones are taken: a random amount from each of several gaps, so that concurrent
 * searches differ. It counts in places, which number only permitted amounts, and reads the band once regardless of the
 * planner's estimates.
 */
export async function findFreeUnits(
  tx: Tx,
  of: AmountsOf,
  { band: { base, salts }, share }: { band: AmountBand; share: AmountShare },
  limit: number,
): Promise<bigint[]> {
  const { first, end } = placesOf(base, salts, share);
  const inRound = sql`(display_units % ${ROUND_UNITS}::bigint)`;
  const [place, isOfShare] =
    share === 'reserved'
      ? [sql`display_units / ${RESIDUES}::bigint`, sql`display_units % ${RESIDUES}::bigint = ${KEPT_RESIDUE}::bigint`]
      : [
          sql`display_units / ${ROUND_UNITS}::bigint * ${GIVEN_PER_ROUND}::bigint + ${inRound} - 1 - ${inRound} / ${RESIDUES}::bigint`,
          sql`${inRound} <> 0 and display_units % ${RESIDUES}::bigint <> ${KEPT_RESIDUE}::bigint`,
        ];
  const { rows } = await sql<{ place: bigint }>`
    with held as (
      select ${first - 1n}::bigint as place
      union all
      select ${place}
      from amount_slots where network = ${of.network} and token = ${of.token} and address = ${of.toAddress}
        and display_units between ${base}::bigint and ${base + salts}::bigint and held_until >= ${of.at}
        and ${isOfShare}
    ), gaps as (
      select place, lead(place, 1, ${end}::bigint) over (order by place) - place - 1 as free from held
    )
    select place + 1 + floor(random() * free)::bigint as place from gaps where free > 0 order by random() limit ${limit}`.execute(
    tx,
  );
  return rows.map((row) => unitsAtPlace(row.place, share));
}
