import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { isRefusal } from '../db/database.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { savePurpose } from './store-sql.ts';

type SetPurposeInput = { store: StoreRef; purpose: 'topup' | null };

const ONE_STORE = 'stores_purpose';

/** Makes an operator's store the one for top-ups, or an ordinary one again. */
export async function setStorePurpose(
  { database, clock }: Context,
  actor: Actor,
  { store, purpose }: SetPurposeInput,
): Promise<void> {
  try {
    await inTransaction(database, async (tx) => {
      const before = await savePurpose(tx, store.id, purpose);
      await recordAudit(tx, clock, actor, {
        action: 'store.purpose',
        subject: `store:${store.id}`,
        details: { before, after: purpose },
      });
    });
  } catch (cause) {
    if (isRefusal(cause, ONE_STORE)) throw new Refusal('TOP_UP_STORE_EXISTS', { live: store.live });
    throw cause;
  }
}
