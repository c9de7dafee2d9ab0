import { DAY_MS } from '@counterfoil/core/duration.ts';
import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { createTopupCode } from './topup.ts';
import { countTopups, insertTopup, offersTopups } from './topup-sql.ts';

type RequestTopupInput = {
  store: StoreRef;
  microUsd: bigint;
  /** Where the checkout links back to. */
  returnUrl: string;
};

/** Most top-ups of a store per day: each is an invoice that uses amounts at the operator's addresses. */
export const MAX_TOPUPS = 20;

/** Requests a top-up, also of an inactive store; a worker creates its invoice. Returns its code. */
export async function requestTopup(
  { database, clock }: Context,
  actor: Actor,
  { store, microUsd, returnUrl }: RequestTopupInput,
): Promise<string> {
  const at = new Date(clock.nowMs());
  const code = createTopupCode();
  await inTransaction(database, async (tx) => {
    // Serialises requests of one merchant, so that they are counted.
    await holdMethods(tx, store.merchantAccountId);
    if (!(await offersTopups(tx, store.live))) throw new Refusal('TOP_UPS_NOT_SET_UP');
    const since = new Date(at.getTime() - DAY_MS);
    if ((await countTopups(tx, store.id, { since, limit: MAX_TOPUPS })) >= MAX_TOPUPS)
      throw new Refusal('TOO_MANY_TOPUPS', { most: MAX_TOPUPS });
    await insertTopup(tx, {
      code,
      storeId: store.id,
      microUsd,
      requestedBy: nameOfActor(actor),
      returnUrl,
      createdAt: at,
    });
    await recordAudit(tx, clock, actor, {
      action: 'topup.request',
      subject: `store:${store.id}`,
      details: { topup: code, amount: formatMicroUsd(microUsd) },
    });
  });
  return code;
}
