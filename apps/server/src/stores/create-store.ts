import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { openBalance } from '../ledger/ledger-store.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { insertWebhookSecret } from './api-key-store.ts';
import { addApiKey } from './issue-api-key.ts';
import { createMerchantCode, createWebhookSecret, webhookSecretPurpose } from './store.ts';
import { findMerchant, findPlan, insertStore } from './store-store.ts';

export type StoreInput = {
  merchantAccountId: bigint;
  name: string;
  planCode: string;
  live: boolean;
  discountPercent: string;
  lifetimeMinutes: number;
  httpsCallbacksOnly: boolean;
  actor: string;
};

export type CreatedStore = {
  id: bigint;
  merchantId: string;
  apiKey: string;
  webhookSecret: string;
  trialEndsAt: Date | null;
};

const DAY_MS = 86_400_000;

/** A store with its balance, first API key and webhook secret, all at once. It has its merchant's shard. */
export async function createStore(
  database: Database,
  clock: Clock,
  ring: KeyRing,
  input: StoreInput,
): Promise<CreatedStore> {
  const plan = await findPlan(database.queries, input.planCode);
  if (!plan) throw new OperatorError(`There is no plan ${input.planCode}.`);
  const merchant = await findMerchant(database.queries, input.merchantAccountId);
  if (!merchant) throw new OperatorError(`There is no merchant ${input.merchantAccountId}.`);
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
    await recordAudit(tx, clock, {
      actor: input.actor,
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
