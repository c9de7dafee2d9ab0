import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { insertMerchant } from './store-store.ts';

export async function createMerchant(database: Database, clock: Clock, name: string, actor: string): Promise<bigint> {
  return inTransaction(database, async (tx) => {
    const id = await insertMerchant(tx, name, new Date(clock.nowMs()));
    await recordAudit(tx, clock, {
      actor,
      action: 'merchant.create',
      subject: `merchant:${id}`,
      details: { after: { name } },
    });
    return id;
  });
}
