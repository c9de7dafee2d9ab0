import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { Evidence } from '../transfers/transfer-sql.ts';

/** SQL of proofs: transfers that are proven by their own receipt settle without waiting for coverage of their block. */

/** A payment that is not proven yet, and the tier that settles it. */
export type Unproven = {
  id: bigint;
  txId: string;
  index: string;
  token: string;
  to: string;
  units: bigint;
  height: number;
  blockHash: string;
  /** The block's time in whole seconds. */
  blockTime: number;
  readBy: string | null;
  tier: string;
  /** How many stored transfers of the same content in the same transaction precede this one. */
  alikeBefore: number;
};

/** Blocks that are settled by a tier and not covered yet: above one height, up to and including another. */
type Span = { tier: string; above: number; upTo: number };

/** Reads unproven payments inside these spans, oldest first. */
export async function readUnproven(
  queries: Queries,
  network: string,
  spans: readonly Span[],
  skipped: readonly bigint[],
  limit: number,
): Promise<Unproven[]> {
  if (spans.length === 0) return [];
  const { rows } = await sql<Omit<Unproven, 'units'> & { units: string }>`
    select u.*, s.tier
    from ${unnestRows(spans, 's', {
      tier: ['text', (span) => span.tier],
      above: ['bigint', (span) => span.above],
      up_to: ['bigint', (span) => span.upTo],
    })}
      cross join lateral (
        select t.id, t.tx_id as "txId", t.index, t.token, t.to_address as "to", t.units, t.height::float8 as height,
          t.block_hash as "blockHash", extract(epoch from t.block_time)::float8 as "blockTime", t.read_by as "readBy",
          case when t.index like '%:0' then 0 else (
            select count(*) from transfers e where e.network = t.network and e.tx_id = t.tx_id and e.canonical
              and e.token = t.token and e.to_address = t.to_address and e.units = t.units and e.block_hash = t.block_hash
              and (e.id < t.id or e.index like '%:0'))::integer
          end as "alikeBefore"
        from transfers t left join quotes q on q.id = t.quote_id
        where t.network = ${network} and t.height > s.above and t.height <= s.up_to and t.canonical and t.invoice_id is not null
          and t.reason is null and coalesce(q.finality, 'finalized') = s.tier
          and (t.settled_hash is distinct from t.block_hash or t.settled_tier is distinct from s.tier)
          and t.id <> all(${skipped}::bigint[])
        order by t.height limit ${limit}) u
    limit ${limit}`.execute(queries);
  return rows.map((row) => Object.assign(row, { units: BigInt(row.units) }));
}

/** A transfer that is proven in this block for this tier. */
type Proof = { id: bigint; blockHash: string; tier: string };

/**
 * Marks transfers as proven, under the chain's row lock; returns their ids. Transfers whose row changed meanwhile, or
 * at whose height another header is stored, are left out.
 */
export async function markProven(tx: Tx, proofs: readonly Proof[], { by, how }: Evidence, at: Date): Promise<bigint[]> {
  if (proofs.length === 0) return [];
  const { rows } = await sql<{ id: bigint }>`
    update transfers t set settled_tier = p.tier, settled_hash = p.block_hash, proven_by = ${by}, proven_how = ${how}, proven_at = ${at}
    from ${unnestRows(proofs, 'p', {
      id: ['bigint', (proof) => proof.id],
      block_hash: ['text', (proof) => proof.blockHash],
      tier: ['text', (proof) => proof.tier],
    })}
    where t.id = p.id and t.canonical and t.block_hash = p.block_hash
      and not exists (select from chain_blocks b where b.network = t.network and b.height = t.height and b.hash <> t.block_hash)
    returning t.id`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Marks transfers of a second read as proven, and as settled if this tier settles them; returns the newly settled ones.
 */
export async function markCovered(
  tx: Tx,
  ids: readonly bigint[],
  tier: string,
  { by, how }: Evidence,
  at: Date,
): Promise<bigint[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: bigint; pays: boolean }>`
    update transfers t set proven_by = coalesce(t.proven_by, ${by}), proven_how = coalesce(t.proven_how, ${how}),
      proven_at = coalesce(t.proven_at, ${at}),
      settled_tier = case when d.due then ${tier} else t.settled_tier end,
      settled_hash = case when d.due then t.block_hash else t.settled_hash end
    from (
      select t.id, t.invoice_id is not null and coalesce(q.finality, 'finalized') = ${tier}
          and (t.settled_hash is distinct from t.block_hash or t.settled_tier is distinct from ${tier}) as due
      from transfers t left join quotes q on q.id = t.quote_id where t.id = any(${ids}::bigint[])
    ) d
    where t.id = d.id and t.canonical and (d.due or (t.proven_at is null and t.accepted_by is null))
    returning t.id, d.due as pays`.execute(tx);
  return rows.filter(({ pays }) => pays).map((row) => row.id);
}
