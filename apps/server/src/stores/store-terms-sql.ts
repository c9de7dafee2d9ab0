import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** A store's terms, set by an operator. */

type StoreTerms = { plan: string; discountPercent: string };

export async function holdTerms(tx: Tx, storeId: bigint): Promise<StoreTerms> {
  const { rows } = await sql<StoreTerms>`
    select p.code as plan, s.discount_percent as "discountPercent"
    from stores s join plans p on p.id = s.plan_id where s.id = ${storeId} for no key update of s`.execute(tx);
  const [terms] = rows;
  if (!terms) throw new Error(`Store ${storeId} is gone.`);
  return terms;
}

export async function saveStorePlan(tx: Tx, storeId: bigint, planId: bigint): Promise<void> {
  await sql`update stores set plan_id = ${planId} where id = ${storeId}`.execute(tx);
}

export async function saveDiscount(tx: Tx, storeId: bigint, percent: string): Promise<void> {
  await sql`update stores set discount_percent = ${percent} where id = ${storeId}`.execute(tx);
}
