import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { drawShard, SHARDS } from './store.ts';
import { insertMerchant } from './store-store.ts';

/** Opens an account. Its shard, one of `shards`, is its stores' as well. */
export async function createMerchant(
  database: Database,
  clock: Clock,
  name: string,
  actor: string,
  shards = SHARDS,
): Promise<bigint> {
  const shard = drawShard(shards);
  return inTransaction(database, async (tx) => {
    const id = await insertMerchant(tx, { name, shard }, new Date(clock.nowMs()));
    await recordAudit(tx, clock, {
      actor,
      action: 'merchant.create',
      subject: `merchant:${id}`,
      details: { after: { name, shard } },
    });
    return id;
  });
}
