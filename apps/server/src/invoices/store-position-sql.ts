import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';

/** Positions of invoices' ends: unique per store, in the order of commits, and in microseconds since 1970. */

type Positioned = { id: bigint; storeId: bigint };

/**
 * Takes a position for each invoice that ends. The rows of their stores stay locked until commit, so that no position
 * becomes visible after a later one; they are locked in the order of ids, after invoices and before balances.
 */
export async function takePositions(tx: Tx, changed: readonly Positioned[]): Promise<Map<bigint, bigint>> {
  if (changed.length === 0) return new Map();
  const byStore = Map.groupBy(changed, ({ storeId }) => storeId);
  const stores = [...byStore].map(([storeId, invoices]) => ({ storeId, count: invoices.length }));
  const { rows } = await sql<{ storeId: bigint; position: bigint }>`
    insert into store_positions as p (store_id, position, taken)
    select s.store_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint + s.count, s.count
    from ${unnestRows(stores, 's', {
      store_id: ['bigint', ({ storeId }) => storeId],
      count: ['integer', ({ count }) => count],
    })} order by s.store_id
    on conflict (store_id) do update set position = greatest(excluded.position, p.position + excluded.taken),
      taken = excluded.taken
    returning store_id as "storeId", position`.execute(tx);
  return new Map(
    rows.flatMap(({ storeId, position }) =>
      (byStore.get(storeId) ?? []).map(({ id }, at) => [id, position - BigInt(at)] as const),
    ),
  );
}
