import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { findStore } from './store-sql.ts';

export async function storeForOperator(
  { database }: Pick<Context, 'database'>,
  _actor: Operator,
  merchantId: string,
): Promise<StoreRef> {
  const store = await findStore(database.queries, merchantId);
  if (!store) throw new Refusal('STORE_UNKNOWN', { store: merchantId });
  return store as StoreRef;
}
