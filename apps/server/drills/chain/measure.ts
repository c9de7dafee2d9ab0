import type { World } from './world.ts';

export type Settled = { transId: string; network: string; tx: string; settledMs: number };

/** Completed invoices and when they were decided, by the workers' clock. */
export async function readSettled(world: World): Promise<Settled[]> {
  const { rows } = await world.drill.database.pool.query<Settled>(
    `select i.trans_id as "transId", q.network, i.transaction_hash as tx, extract(epoch from i.settled_at)::float8 * 1000 as "settledMs"
     from invoices i join quotes q on q.id = i.quote_id where i.status = 'completed'`,
  );
  return rows;
}
