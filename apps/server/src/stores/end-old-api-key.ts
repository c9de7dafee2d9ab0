import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { requireElevated } from '../people/require-elevated.ts';
import { endOlderApiKeys } from './api-key-sql.ts';

export async function endOldApiKey(
  { database, clock }: Context,
  actor: Actor,
  { store }: { store: StoreRef },
): Promise<{ ended: string[] }> {
  if (actor.kind === 'person') requireElevated(actor);
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    // Waits for a new key in progress, so that it is not taken for the older one.
    await holdMethods(tx, store.merchantAccountId);
    const ended = await endOlderApiKeys(tx, store.id, at);
    if (ended.length === 0) throw new Refusal('API_KEY_ALONE', { store: store.merchantId });
    await recordAudit(tx, clock, actor, {
      action: 'api_key.end',
      subject: `store:${store.id}`,
      details: { ended },
    });
    return { ended };
  });
}
