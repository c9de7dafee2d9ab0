import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { FindEnds } from '../accounts/account-follower.ts';
import { ACCOUNT_TIER, coversAddress, quoteScope } from '../accounts/account-sql.ts';

/** SQL of gates. A gate is the first network, tier and scope whose coverage has not passed a waiting invoice's end. */

/** The tier that gates the expiry of a quote `q`: the tier that settles the quote, unless `gate_tier` names another. */
const GATE_TIER = sql`coalesce(q.gate_tier, q.finality)`;

/** A gate; `scope` is empty for a network that is read whole, else the followed account. */
export type Gate = { network: string; tier: string; scope: string; coveredUntil: Date };

/** Reads how far each network that is read whole is covered; a retired network counts as covered until now. */
export async function readGates(queries: Queries | Tx, now: Date): Promise<Gate[]> {
  const { rows } = await sql<Gate>`
    select c.network, c.tier, c.scope, case when h.retired_at is not null then ${now}::timestamptz else c.block_time end as "coveredUntil"
    from chain_coverage c join chains h on h.network = c.network
    where c.scope = '' and (h.frozen_at is null or h.retired_at is not null)`.execute(queries);
  return rows;
}

/** Reads how far the followed accounts that these invoices were quoted at are covered. */
export async function readAccountGates(queries: Queries | Tx, ids: readonly bigint[], now: Date): Promise<Gate[]> {
  const { rows } = await sql<Gate>`
    select distinct q.network, ${GATE_TIER} as tier, q.to_address as scope,
      case when h.retired_at is not null or x.removed_at is not null then ${now}::timestamptz else c.block_time end as "coveredUntil"
    from quotes q join chains h on h.network = q.network and (h.frozen_at is null or h.retired_at is not null)
      left join exchange_accounts x on x.network = q.network and x.account = q.to_address
      left join chain_coverage c on c.network = q.network and c.scope = q.to_address and c.tier = ${GATE_TIER}
    where q.invoice_id = any(${ids}::bigint[])
      and (c.network is not null or h.retired_at is not null or x.removed_at is not null)`.execute(queries);
  return rows;
}

/**
 * Finds gates whose coverage has passed the end of a waiting invoice: one index lookup for each gate, and nothing is
 * locked.
 */
export async function findDueGates(queries: Queries, gates: readonly Gate[]): Promise<Gate[]> {
  const { rows } = await sql<{ position: number }>`
    select g.position from ${unnestRows([...gates.entries()], 'g', {
      position: ['integer', ([position]) => position],
      network: ['text', ([, gate]) => gate.network],
      tier: ['text', ([, gate]) => gate.tier],
      covered_until: ['timestamptz', ([, gate]) => gate.coveredUntil],
    })} cross join lateral (
      select i.id from invoices i
      where i.status = 'waiting' and i.gate_network = g.network and i.gate_tier = g.tier and i.gate_scope = ''
        and i.expires_at < g.covered_until
      order by i.expires_at limit 1) i`.execute(queries);
  const due = new Set(rows.map(({ position }) => position));
  return gates.filter((_gate, position) => due.has(position));
}

/** Locks waiting invoices whose gate is covered past their end: a block strictly later than that end was read. */
export async function lockDueAtGate(tx: Tx, gate: Gate, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where status = 'waiting' and gate_network = ${gate.network} and gate_tier = ${gate.tier} and gate_scope = ''
      and expires_at < ${gate.coveredUntil}
    order by expires_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Locks due invoices without any quote. The statement names every column of the index, or the whole index would be
 * walked.
 */
export async function lockDueUnselected(tx: Tx, now: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices
    where status = 'waiting' and gate_network is null and gate_tier is null and gate_scope = '' and expires_at < ${now}
    order by gate_network, gate_tier, gate_scope, expires_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}

/** The most invoices of one followed account in a round, however many have ended. */
const PER_ACCOUNT = 50;

/**
 * Waiting invoices whose gate is a followed account that is covered past their end, the oldest first. The statement
 * takes one index lookup for each followed account, however many invoices wait at other ones. Nothing is locked yet.
 */
export const dueAtAccounts = (limit: number) => sql<{ id: bigint }>`
  select i.id from chains h
    join followed_accounts f on f.network = h.network and f.state <> 'idle'
    cross join lateral (select c.block_time from chain_coverage c
      where c.network = f.network and c.scope = f.account and c.tier = ${ACCOUNT_TIER} offset 0) c
    cross join lateral (select i.id, i.expires_at from invoices i
      where i.status = 'waiting' and i.gate_network = f.network and i.gate_tier = ${ACCOUNT_TIER} and i.gate_scope = f.account
        and i.expires_at < c.block_time
      order by i.expires_at limit ${PER_ACCOUNT}) i
  where h.frozen_at is null and h.retired_at is null
  order by i.expires_at limit ${limit}`;

export async function findDueAtAccounts(queries: Queries, limit: number): Promise<bigint[]> {
  const { rows } = await dueAtAccounts(limit).execute(queries);
  return rows.map((row) => row.id);
}

/**
 * For each followed account, the earliest end of a waiting invoice that its coverage has not passed: one index lookup
 * each.
 */
export const endsAtAccounts = (network: string, accounts: readonly string[]) => sql<{ account: string; end: number }>`
  select a.account, extract(epoch from i.expires_at)::float8 as end from unnest(${accounts}::text[]) a (account)
    cross join lateral (select c.block_time from chain_coverage c
      where c.network = ${network} and c.scope = a.account and c.tier = ${ACCOUNT_TIER} offset 0) c
    cross join lateral (select i.expires_at from invoices i
      where i.status = 'waiting' and i.gate_network = ${network} and i.gate_tier = ${ACCOUNT_TIER} and i.gate_scope = a.account
        and i.expires_at >= c.block_time
      order by i.expires_at limit 1) i`;

export function createFindEnds(queries: Queries): FindEnds {
  return async (network, accounts) => {
    if (accounts.length === 0) return new Map();
    const { rows } = await endsAtAccounts(network, accounts).execute(queries);
    return new Map(rows.map(({ account, end }) => [account, end]));
  };
}

/** Finds waiting invoices past their end whose gate is a followed account of a retired network. */
export async function findDueAtRetired(queries: Queries, now: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select i.id from chains h cross join lateral (
      select i.id from invoices i
      where i.status = 'waiting' and i.gate_network = h.network and i.gate_tier = ${ACCOUNT_TIER} and i.gate_scope > ''
        and i.expires_at < ${now} limit ${limit}) i
    where h.retired_at is not null limit ${limit}`.execute(queries);
  return rows.map((row) => row.id);
}

/** Finds waiting invoices past their end whose gate is an exchange account that was given up. */
export async function findDueAtRemoved(queries: Queries, now: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select i.id from exchange_accounts x cross join lateral (
      select i.id from invoices i
      where i.status = 'waiting' and i.gate_network = x.network and i.gate_tier = ${ACCOUNT_TIER} and i.gate_scope = x.account
        and i.expires_at < ${now} order by i.expires_at limit ${limit}) i
    where x.removed_at is not null limit ${limit}`.execute(queries);
  return rows.map((row) => row.id);
}

export async function lockWaiting(tx: Tx, ids: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where id = any(${ids}::bigint[]) and status = 'waiting' order by id for update skip locked`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/**
 * Moves each invoice to its next gate, whose coverage has not passed the invoice's end. Returns the invoices without
 * such a gate; they keep their last gate, where they wait again if a reorg lowers its coverage. `gates` must have no
 * coverage that was gained after the invoices were locked, because the payments in it may not have been read.
 */
export async function passGates(tx: Tx, ids: readonly bigint[], gates: readonly Gate[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    with gate as (
      select * from ${unnestRows(gates, 'g', {
        network: ['text', (gate) => gate.network],
        tier: ['text', (gate) => gate.tier],
        scope: ['text', (gate) => gate.scope],
        covered_until: ['timestamptz', (gate) => gate.coveredUntil],
      })}
    ), next as (
      select i.id, (select q.id from quotes q left join gate g on g.network = q.network and g.tier = ${GATE_TIER} and ${coversAddress('g', 'q.to_address')}
          where q.invoice_id = i.id and coalesce(g.covered_until <= i.expires_at, true) order by q.id limit 1) as quote_id
      from invoices i where i.id = any(${ids}::bigint[])
    ), moved as (
      update invoices i set gate_network = q.network, gate_tier = ${GATE_TIER}, gate_scope = ${quoteScope('q.network', 'q.to_address')}
      from next n join quotes q on q.id = n.quote_id where i.id = n.id
    )
    select id from next where quote_id is null`.execute(tx);
  return rows.map((row) => row.id);
}
