import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { openBalance } from '../ledger/ledger-sql.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { findMerchant } from '../merchants/merchant-sql.ts';
import { findPlan } from '../merchants/plan-sql.ts';
import { addApiKey } from './issue-api-key.ts';
import { createMerchantCode, createWebhookSecret, webhookSecretPurpose } from './store.ts';
import { insertStore } from './store-sql.ts';
import { insertWebhookSecret } from './webhook-secret-sql.ts';

export type StoreInput = {
  merchantAccountId: bigint;
  name: string;
  planCode: string;
  live: boolean;
  discountPercent: string;
  lifetimeMinutes: number;
  httpsCallbacksOnly: boolean;
};

export type CreatedStore = {
  id: bigint;
  merchantId: string;
  apiKey: string;
  webhookSecret: string;
  trialEndsAt: Date | null;
};

const DAY_MS = 86_400_000;

/** Creates a store with its balance, first API key and webhook secret, all at once. It has its merchant's shard. */
export async function createStore(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  input: StoreInput,
): Promise<CreatedStore> {
  const plan = await findPlan(database.queries, input.planCode);
  if (!plan) throw new Refusal('PLAN_UNKNOWN', { plan: input.planCode });
  const merchant = await findMerchant(database.queries, input.merchantAccountId);
  if (!merchant) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(input.merchantAccountId) });
  const at = new Date(clock.nowMs());
  const trialEndsAt = plan.trialDays > 0 ? new Date(at.getTime() + plan.trialDays * DAY_MS) : null;
  const store = { ...input, merchantId: createMerchantCode(), shard: merchant.shard, planId: plan.id, trialEndsAt };
  const webhookSecret = createWebhookSecret();
  return inTransaction(database, async (tx) => {
    const id = await insertStore(tx, store, at);
    await openBalance(tx, id);
    const apiKey = await addApiKey(tx, ring, { id, live: input.live, shard: store.shard }, at);
    const secretId = await sealSecret(tx, ring, webhookSecretPurpose(id), webhookSecret);
    await insertWebhookSecret(tx, id, secretId, at);
    await recordAudit(tx, clock, actor, {
      action: 'store.create',
      subject: `store:${id}`,
      details: {
        after: {
          merchantId: store.merchantId,
          name: input.name,
          plan: input.planCode,
          live: input.live,
          discountPercent: input.discountPercent,
          lifetimeMinutes: input.lifetimeMinutes,
          httpsCallbacksOnly: input.httpsCallbacksOnly,
        },
      },
    });
    return { id, merchantId: store.merchantId, apiKey, webhookSecret, trialEndsAt };
  });
}
