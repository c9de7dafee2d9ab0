import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import { preferIndexOrder } from '../db/ordered-reads.ts';
import { dropOldestMonth } from '../db/partition-sql.ts';
import { inTransaction } from '../db/transaction.ts';
import { deleteStrayAttempts, eraseBodies, lockErasable } from './retention-sql.ts';

const BATCH = 500;

type Erased = { bodies: number; attempts: number; partition: string | undefined; more: boolean };

/** Erases bodies of events and months of attempts; the rows stay as a permanent record. */
export async function eraseWebhooks({ database, clock }: Context, retentionDays: number): Promise<Erased> {
  const before = new Date(clock.nowMs() - retentionDays * DAY_MS);
  const bodies = await inTransaction(database, async (tx) => {
    const erasable = await preferIndexOrder(tx, () => lockErasable(tx, before, BATCH));
    return eraseBodies(tx, erasable);
  });
  const attempts = await inTransaction(database, (tx) => deleteStrayAttempts(tx, before, BATCH));
  const partition = await dropOldestMonth(database, 'attempts', before);
  return { bodies, attempts, partition, more: bodies === BATCH || attempts === BATCH || partition !== undefined };
}
