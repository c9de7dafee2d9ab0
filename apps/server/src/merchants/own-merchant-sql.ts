import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Merchants that users open themselves. */

type OwnMerchant = { name: string; shard: string; approved: boolean };

/** Opens a merchant for the sender of the request; undefined at the limit. */
export async function insertOwnMerchant(
  tx: Tx,
  { name, shard, approved }: OwnMerchant,
  at: Date,
): Promise<{ id: bigint; code: string } | undefined> {
  const { rows } = await sql<{ id: bigint | null }>`
    select open_own_merchant(${name}, ${shard}, ${approved}, ${at}) as id`.execute(tx);
  const id = rows[0]?.id ?? null;
  if (id === null) return undefined;
  const found = await sql<{ id: bigint; code: string }>`select id, code from merchants where id = ${id}`.execute(tx);
  return found.rows[0];
}

export async function countOwnMerchants(queries: Queries, personId: bigint): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from merchants where opened_by = ${personId}`.execute(queries);
  return rows[0]?.count ?? 0;
}

/** Uses up the fee trial of the user who opened a merchant; false without one left. Merchants of operators have it always. */
export async function takeFeeTrial(tx: Tx, merchantAccountId: bigint, at: Date): Promise<boolean> {
  const { rows } = await sql<{ granted: boolean }>`
    with merchant as (select opened_by from merchants where id = ${merchantAccountId}),
      taken as (update people p set fee_trial_at = ${at} from merchant m
        where p.id = m.opened_by and p.fee_trial_at is null returning 1)
    select m.opened_by is null or exists (select from taken) as granted from merchant m`.execute(tx);
  return rows[0]?.granted ?? false;
}

/** Approves a merchant for live stores; undefined when it does not wait. */
export async function saveApproval(tx: Tx, merchantAccountId: bigint, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update merchants set approved_at = ${at}
    where id = ${merchantAccountId} and opened_by is not null and approved_at is null returning 1`.execute(tx);
  return rows.length > 0;
}
