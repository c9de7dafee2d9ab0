import { PLATFORM_PREFIX } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { coversAddress } from '../accounts/account-sql.ts';
import { HAS_ENDPOINTS } from '../webhooks/subscription-sql.ts';
import { LOST_PAYMENT } from '../wallets/exchange-account-sql.ts';
import type { InvoiceStatus } from './invoice.ts';
import type { Payment } from './invoice-status.ts';

/**
 * SQL statements of change-invoices.ts, the only writer of invoices' status: many invoices at once, in the order of
 * ids.
 */

export type LockedInvoice = {
  id: bigint;
  storeId: bigint;
  status: InvoiceStatus;
  createdAt: Date;
  feeMicroUsd: bigint;
  transId: string;
  requestId: string | null;
  callbackUrl: string | null;
  cancelledAt: Date | null;
  /** Whether the invoice is of a live store. */
  live: boolean;
  /** Whether the store has webhook endpoints. */
  hasEndpoints: boolean;
};

export async function lockInvoices(tx: Tx, ids: readonly bigint[]): Promise<LockedInvoice[]> {
  const { rows } = await sql<LockedInvoice>`
    select id, store_id as "storeId", status, created_at as "createdAt", fee_micro_usd as "feeMicroUsd", trans_id as "transId",
      request_id as "requestId", callback_url as "callbackUrl", cancelled_at as "cancelledAt", (select s.live from stores s where s.id = store_id) as live,
      ${HAS_ENDPOINTS} as "hasEndpoints"
    from invoices i where id = any(${ids}::bigint[]) order by id for update`.execute(tx);
  return rows;
}

/** Which of these invoices belong to live stores. */
export async function findLiveInvoices(tx: Tx, ids: readonly bigint[]): Promise<Set<bigint>> {
  const { rows } = await sql<{ id: bigint }>`
    select i.id from invoices i join stores s on s.id = i.store_id where i.id = any(${ids}::bigint[]) and s.live`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

type InvoicePayment = Payment & { invoiceId: bigint };

/**
 * The tier that settles transfer `t`: the tier of its quote `q`, or else the deepest tier of its network. Exchange
 * platforms have no depth: a row there settles only by the platform's final word.
 */
export const SETTLING_TIER = sql`coalesce(q.finality,
  case when starts_with(t.network, ${PLATFORM_PREFIX}) then 'credited' else 'finalized' end)`;

/** The end of the time to pay invoice `i`: a cancel ends it early. */
const WINDOW_END = sql`least(i.expires_at, i.cancelled_at)`;
/** Until when late payments of invoice `i` of store `s` still count; a cancelled invoice has no grace. */
const GRACE_END = sql`case when i.cancelled_at is null then i.expires_at + make_interval(mins => s.grace_minutes) else ${WINDOW_END} end`;

const FROZEN = sql`(select network from chains where frozen_at is not null)`;
const RETIRED = sql`(select network from chains where retired_at is not null)`;
/** Exchange accounts that operators removed. */
const REMOVED = sql`(select network, account from exchange_accounts where removed_at is not null)`;
/**
 * Exchange accounts where nothing settles: the payment of a completed invoice is gone, or an operator stopped the
 * exchange account.
 */
const STOPPED = sql`(select network, account from exchange_accounts where stopped_at is not null)`;

/**
 * Reads the payments of invoices in the order of the chain. A payment is settled by its own mark, or once coverage of
 * its tier has passed it. Neither counts on a frozen network or at a stopped exchange account: a payment there is
 * settled only if a person accepted it, and only once the network is retired or the exchange account is removed. For
 * speed, frozen and retired networks are read once, and a store's grace (the minutes in which late payments still
 * count) is read only for payments after the window.
 */
export async function readPayments(queries: Queries | Tx, ids: readonly bigint[]): Promise<InvoicePayment[]> {
  const { rows } = await sql<InvoicePayment>`
    select t.id as "transferId", t.invoice_id as "invoiceId", t.canonical, t.attached_by is not null as attached, t.reason,
      (t.canonical and (
        (t.network not in ${FROZEN} and (t.network, t.to_address) not in ${STOPPED}
          and (c.height >= t.height or (t.settled_hash = t.block_hash and t.settled_tier = ${SETTLING_TIER})))
        or (t.accepted_by is not null and t.settled_hash = t.block_hash
          and (t.network in ${RETIRED} or (t.network, t.to_address) in ${REMOVED})))) is true as settled,
      case when t.block_time <= ${WINDOW_END} then 'in-window'
        when t.block_time <= (select ${GRACE_END} from stores s where s.id = i.store_id) then 'in-grace' else 'late' end as timing
    from transfers t
      join invoices i on i.id = t.invoice_id
      left join quotes q on q.id = t.quote_id
      left join chain_coverage c on c.network = t.network and ${coversAddress('c', 't.to_address')}
        and c.tier = ${SETTLING_TIER}
    where t.invoice_id = any(${ids}::bigint[])
    order by t.invoice_id, t.height, t.id`.execute(queries);
  return rows;
}

type StatusChange = { id: bigint; status: InvoiceStatus; position: bigint | undefined };

export async function updateStatuses(tx: Tx, changes: readonly StatusChange[], at: Date): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    update invoices i set status = d.status, change_position = coalesce(d.position, i.change_position), ended_at = case when d.status = 'expired' then ${at}::timestamptz end
    from ${unnestRows(changes, 'd', {
      id: ['bigint', ({ id }) => id],
      status: ['text', ({ status }) => status],
      position: ['bigint', ({ position }) => position],
    })}
    where i.id = d.id`.execute(tx);
}

type Completion = { id: bigint; transferId: bigint; late: boolean; position: bigint | undefined };

/** The payment that completed an invoice. */
export type CompletingPayment = { id: bigint; network: string; blockTime: Date; seenAt: Date };

/**
 * Completes invoices with the transfer that paid each invoice; the invoice then shows the paid quote. When it had expired
 * is kept, because the expiry stays a fact of its day.
 */
export async function completeInvoices(
  tx: Tx,
  completions: readonly Completion[],
  at: Date,
): Promise<CompletingPayment[]> {
  if (completions.length === 0) return [];
  const { rows } = await sql<CompletingPayment>`
    update invoices i set status = 'completed', change_position = d.position, late = d.late, settled_at = ${at}, ended_at = ${at}, paid_transfer_id = t.id,
      transaction_hash = t.tx_id, from_address = t.from_address, quote_id = coalesce(t.quote_id, i.quote_id),
      expired_at = case when i.status = 'expired' then i.ended_at end
    from ${unnestRows(completions, 'd', {
      id: ['bigint', (one) => one.id],
      transfer_id: ['bigint', (one) => one.transferId],
      late: ['boolean', (one) => one.late],
      position: ['bigint', (one) => one.position],
    })} join transfers t on t.id = d.transfer_id
    where i.id = d.id
    returning i.id, t.network, t.block_time as "blockTime", t.seen_at as "seenAt"`.execute(tx);
  return rows;
}

/**
 * Records for every transfer of these invoices that it pays, or why it does not. Returns the transfers of
 * stores with webhook endpoints that pay nothing.
 */
export async function explainPayments(tx: Tx, ids: readonly bigint[]): Promise<bigint[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: bigint | null }>`
    update transfers t set reason = d.reason
    from (
      select t.id, ${HAS_ENDPOINTS} as shown, case when i.paid_transfer_id = t.id then null
          when i.status = 'completed' then 'already_paid'
          when t.block_time > ${GRACE_END} and t.attached_by is null
            then case when t.block_time > i.cancelled_at then 'cancelled' else 'late' end
        end as reason
      from transfers t join invoices i on i.id = t.invoice_id join stores s on s.id = i.store_id
      where t.invoice_id = any(${ids}::bigint[])
    ) d
    where t.id = d.id and t.reason is distinct from d.reason
    returning case when d.shown and d.reason is not null then t.id end as id`.execute(tx);
  return rows.flatMap(({ id }) => (id === null ? [] : [id]));
}

/** Puts the amount slots of ended invoices into quarantine until `until`: a late payment still finds its invoice. */
export async function restAmounts(tx: Tx, ids: readonly bigint[], until: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with ended as (
      update quotes set held_to = ${until} where invoice_id = any(${ids}::bigint[]) and held_to = 'infinity'
      returning id, network, token, to_address, display_units
    )
    update amount_slots s set held_until = ${until} from ended e
    where s.network = e.network and s.token = e.token and s.address = e.to_address and s.display_units = e.display_units
      and s.quote_id = e.id`.execute(tx);
}

/** Whether an invoice's payment is gone: its transfer left the chain, or no longer belongs to the invoice. */
const IS_GONE = sql`(not t.canonical or t.invoice_id is distinct from i.id)`;

export type RevertedCompletion = { id: bigint; transId: string; txId: string; account: string };

/** Finds completed invoices whose payment is among these transfers and is gone. */
export async function findRevertedCompletions(tx: Tx, transferIds: readonly bigint[]): Promise<RevertedCompletion[]> {
  const { rows } = await sql<RevertedCompletion>`
    select i.id, i.trans_id as "transId", t.tx_id as "txId", t.to_address as account from invoices i join transfers t on t.id = i.paid_transfer_id
    where i.paid_transfer_id = any(${transferIds}::bigint[]) and ${IS_GONE}`.execute(tx);
  return rows;
}

/** Remembers completed invoices that lost their payment, so that later checks need not search all invoices. */
export async function rememberReverted(
  tx: Tx,
  network: string,
  invoiceIds: readonly bigint[],
  at: Date,
): Promise<void> {
  await sql`
    insert into reverted_payments (network, invoice_id, reverted_at)
    select ${network}, id, ${at} from unnest(${invoiceIds}::bigint[]) as r (id)
    on conflict (network, invoice_id) do nothing`.execute(tx);
}

/** Forgets remembered invoices whose payment is back; returns how many invoices were forgotten. */
export async function forgetRestored(tx: Tx, network: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from reverted_payments r using invoices i, transfers t
    where r.network = ${network} and i.id = r.invoice_id and t.id = i.paid_transfer_id and not ${IS_GONE}`.execute(tx);
  return Number(numAffectedRows);
}

/** Whether a completed invoice on this network still lacks its payment. */
export async function lacksPayment(tx: Tx, network: string): Promise<boolean> {
  const row = await tx
    .selectFrom('reverted_payments')
    .select('invoice_id')
    .where('network', '=', network)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Followed accounts where a completed invoice lacks its payment. Found first in the query, because they are few. */
const LACKING_ACCOUNTS = (network: string) => sql`lacking as materialized (
      select t.to_address as account
      from (select invoice_id from reverted_payments where network = ${network} offset 0) r
        join invoices i on i.id = r.invoice_id join transfers t on t.id = i.paid_transfer_id
    )`;

/** Ends stops caused by a lost payment, at exchange accounts where no completed invoice lacks its payment any more. */
export async function endStopsOfRestored(tx: Tx, network: string): Promise<void> {
  await sql`
    with ${LACKING_ACCOUNTS(network)}
    update exchange_accounts x set stopped_at = null, stop_reason = null, stopped_by = null
    where x.network = ${network} and x.stopped_by = ${LOST_PAYMENT} and x.stopped_at is not null
      and x.account not in (select account from lacking)`.execute(tx);
}

/**
 * Ends stops caused by a lost payment, at followed accounts of the sandbox where no completed invoice lacks its
 * payment.
 */
export async function endStopsOfFollowed(tx: Tx, network: string): Promise<void> {
  await sql`
    with ${LACKING_ACCOUNTS(network)}
    update followed_accounts f set stopped_at = null, stop_reason = null, version = version + 1
    where f.network = ${network} and f.stopped_at is not null and f.account not in (select account from lacking)`.execute(
    tx,
  );
}

/** Forgets the lost payments of an exchange account that an operator starts again. */
export async function forgetRevertedAt(tx: Tx, network: string, account: string): Promise<void> {
  await sql`
    delete from reverted_payments r using invoices i, transfers t
    where r.network = ${network} and i.id = r.invoice_id and t.id = i.paid_transfer_id and t.to_address = ${account}`.execute(
    tx,
  );
}
