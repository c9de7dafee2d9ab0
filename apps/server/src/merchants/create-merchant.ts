import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { drawShard, SHARDS } from './merchant.ts';
import { insertMerchant } from './merchant-sql.ts';

/** `shards`: possible shards of the merchant; all by default. */
type CreateMerchantInput = { name: string; shards?: string | undefined };

/** Opens a merchant account. Its shard is also that of its stores. */
export async function createMerchant(
  { database, clock }: Context,
  actor: Actor,
  { name, shards = SHARDS }: CreateMerchantInput,
): Promise<bigint> {
  const shard = drawShard(shards);
  return inTransaction(database, async (tx) => {
    const id = await insertMerchant(tx, { name, shard }, new Date(clock.nowMs()));
    await recordAudit(tx, clock, actor, {
      action: 'merchant.create',
      subject: `merchant:${id}`,
      details: { after: { name, shard } },
    });
    return id;
  });
}
