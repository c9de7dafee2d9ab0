import { DAY_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import { openBalance } from '../ledger/ledger-sql.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { findMerchant, holdMethods, isMerchantWaiting } from '../merchants/merchant-sql.ts';
import { takeFeeTrial } from '../merchants/own-merchant-sql.ts';
import { findPlan } from '../merchants/plan-sql.ts';
import { addApiKey } from './issue-api-key.ts';
import { createMerchantCode, createWebhookSecret, webhookSecretPurpose } from './store.ts';
import type { StoreRow } from './store-sql.ts';
import { countStoresOfMerchant, insertStore } from './store-sql.ts';
import { insertWebhookSecret } from './webhook-secret-sql.ts';

export type StoreInput = {
  merchantAccountId: bigint;
  name: string;
  planCode: string;
  discountPercent: string;
  lifetimeMinutes: number;
  httpsCallbacksOnly: boolean;
  /** Most stores of the merchant; undefined for operators, who have no limit. */
  maxStores?: number;
};

export type CreatedStore = {
  id: bigint;
  merchantId: string;
  apiKey: string;
  webhookSecret: string;
  trialEndsAt: Date | null;
};

/** A prepared store: its plan and merchant exist, and its shard is its merchant's. */
type NewStore = StoreRow & { planCode: string; maxStores?: number };

/** Finds plan and merchant of a new store; refuses unknown ones. */
export async function prepareStore(
  queries: Queries,
  input: StoreInput & { live: boolean },
  at: Date,
): Promise<NewStore> {
  const plan = await findPlan(queries, input.planCode);
  if (!plan) throw new Refusal('PLAN_UNKNOWN', { plan: input.planCode });
  const merchant = await findMerchant(queries, input.merchantAccountId);
  if (!merchant) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(input.merchantAccountId) });
  const trialEndsAt = plan.trialDays > 0 ? new Date(at.getTime() + plan.trialDays * DAY_MS) : null;
  return { ...input, merchantId: createMerchantCode(), shard: merchant.shard, planId: plan.id, trialEndsAt };
}

/** Refuses a member's store at the limit, while methods are locked, and a live one before approval. Others wait. */
async function requireRoom(tx: Tx, { merchantAccountId, live }: NewStore, maxStores: number): Promise<void> {
  const held = await holdMethods(tx, merchantAccountId);
  if (held?.lockedAt) throw new Refusal('METHODS_LOCKED');
  if ((await countStoresOfMerchant(tx, merchantAccountId)) >= maxStores)
    throw new Refusal('TOO_MANY_STORES', { limit: maxStores });
  if (live && (await isMerchantWaiting(tx, merchantAccountId))) throw new Refusal('MERCHANT_WAITS');
}

/** Inserts a store with its balance, first API key and webhook secret. */
export async function insertNewStore(tx: Tx, ring: KeyRing, store: NewStore, at: Date): Promise<CreatedStore> {
  const { merchantAccountId, maxStores, live, shard, merchantId } = store;
  let { trialEndsAt } = store;
  if (maxStores !== undefined) {
    await requireRoom(tx, store, maxStores);
    if (live && trialEndsAt && !(await takeFeeTrial(tx, merchantAccountId, at))) trialEndsAt = null;
  }
  const webhookSecret = createWebhookSecret();
  const id = await insertStore(tx, { ...store, trialEndsAt }, at);
  await openBalance(tx, id);
  const apiKey = await addApiKey(tx, ring, { id, live, shard }, at);
  const secretId = await sealSecret(tx, ring, webhookSecretPurpose(id), webhookSecret);
  await insertWebhookSecret(tx, id, secretId, at);
  return { id, merchantId, apiKey, webhookSecret, trialEndsAt };
}

export function describeStore(store: NewStore): Record<string, unknown> {
  const { merchantId, name, planCode, live, discountPercent, lifetimeMinutes, httpsCallbacksOnly } = store;
  return { merchantId, name, plan: planCode, live, discountPercent, lifetimeMinutes, httpsCallbacksOnly };
}

/** Creates a live store in one transaction. Test stores: `create-test-store`. */
export async function createStore(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  input: StoreInput,
): Promise<CreatedStore> {
  const at = new Date(clock.nowMs());
  const store = await prepareStore(database.queries, { ...input, live: true }, at);
  return inTransaction(database, async (tx) => {
    const created = await insertNewStore(tx, ring, store, at);
    await recordAudit(tx, clock, actor, {
      action: 'store.create',
      subject: `store:${created.id}`,
      details: { after: describeStore(store) },
    });
    return created;
  });
}
