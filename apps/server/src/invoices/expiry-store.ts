import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Gates: the first network and tier that a waiting invoice's end is not yet read past. */

export type Gate = { network: string; tier: string; coveredUntil: Date };

/** How far each network is covered, or for ever where an operator has waived it. Read before any invoice is locked. */
export async function readGates(queries: Queries | Tx): Promise<Gate[]> {
  const { rows } = await sql<Gate>`
    select c.network, c.tier, case when h.retired_at is not null then '9999-01-01'::timestamptz else c.block_time end as "coveredUntil"
    from chain_coverage c join chains h on h.network = c.network
    where c.scope = '' and (h.frozen_at is null or h.retired_at is not null)`.execute(queries);
  return rows;
}

/** Waiting invoices behind a gate whose end it has passed: a block strictly later than their end was read. */
export async function lockDueAtGate(tx: Tx, gate: Gate, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where status = 'waiting' and gate_network = ${gate.network} and gate_tier = ${gate.tier}
      and expires_at < ${gate.coveredUntil}
    order by expires_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}

/** Waiting invoices that nobody selected anything for. */
export async function lockDueUnselected(tx: Tx, now: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where status = 'waiting' and gate_network is null and expires_at < ${now}
    order by expires_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Moves invoices to the next gate that is not passed; returns those that have none left, which keep their gate: should a
 * reorg bring one back to waiting, it is measured there again. `gates` is what was read before the lock: coverage that
 * came since is not believed, for its payments may not have been read.
 */
export async function passGates(tx: Tx, ids: readonly bigint[], gates: readonly Gate[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    with gate as (
      select * from unnest(${gates.map((gate) => gate.network)}::text[], ${gates.map((gate) => gate.tier)}::text[],
        ${gates.map((gate) => gate.coveredUntil)}::timestamptz[]) as g (network, tier, covered_until)
    ), next as (
      select i.id, (select q.id from quotes q left join gate g on g.network = q.network and g.tier = q.finality
          where q.invoice_id = i.id and coalesce(g.covered_until <= i.expires_at, true) order by q.id limit 1) as quote_id
      from invoices i where i.id = any(${ids}::bigint[])
    ), moved as (
      update invoices i set gate_network = q.network, gate_tier = q.finality
      from next n join quotes q on q.id = n.quote_id where i.id = n.id
    )
    select id from next where quote_id is null`.execute(tx);
  return rows.map((row) => row.id);
}
