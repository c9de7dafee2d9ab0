import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { holdStore, saveLowBalance } from './store-sql.ts';

type SetLowBalanceInput = {
  store: StoreRef;
  /** Null: members are notified when the balance will last only a few more days. */
  microUsd: bigint | null;
};

/** Sets the balance below which members are notified. */
export async function setLowBalance(
  { database, clock }: Context,
  actor: Actor,
  { store, microUsd }: SetLowBalanceInput,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    await holdStore(tx, store.id);
    await saveLowBalance(tx, store.id, microUsd);
    await recordAudit(tx, clock, actor, {
      action: 'balance.threshold',
      subject: `store:${store.id}`,
      details: { after: microUsd === null ? null : formatMicroUsd(microUsd) },
    });
  });
}
