import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Database } from '../../src/db/database.ts';
import type { StoreRef } from '../../src/db/store-ref.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { creditBalance } from '../../src/ledger/credit-balance.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { registerKeyRing } from '../../src/secrets/register-key-ring.ts';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createPlan } from '../../src/merchants/create-plan.ts';
import { createTestStore } from '../../src/sandbox/create-test-store.ts';
import type { CreatedStore } from '../../src/stores/create-store.ts';
import { createStore } from '../../src/stores/create-store.ts';
import { findPlan } from '../../src/merchants/plan-sql.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { NETWORKS } from '../chains/networks.ts';

/** Stores made by the product's verbs; by default with a wallet and a balance, and without rate limits. */

export type StoreOptions = {
  clock?: Clock;
  plan?: {
    code: string;
    feeRatePercent?: string;
    minimumFeeMicroUsd?: bigint;
    trialDays?: number;
    createBurst?: number;
    createSustained?: number;
    lookupBurst?: number;
    lookupSustained?: number;
  };
  creditMicroUsd?: bigint;
  wallet?: boolean;
  /** Whether the store is a test store, which receives at addresses of the sandbox and has no other wallet. */
  test?: boolean;
  discountPercent?: string;
  lifetimeMinutes?: number;
  httpsCallbacksOnly?: boolean;
  /**
   * Key ring that the database has already, such as one that processes read from a file. By default the database gets a
   * new key ring with its first store.
   */
  ring?: KeyRing;
};

/** A store with its secrets; `ref` is the store as verbs take it. */
export type TestStore = CreatedStore & { merchantAccountId: bigint; ring: KeyRing; ref: StoreRef };

/** Actor who prepares tests; audit entries call this actor `cli:test`. */
export const TESTER = { kind: 'operator', name: 'test' } as const;

/** Actor without any key: a visitor who only knows the URL of an invoice's page. */
export const VISITOR = { kind: 'stranger' } as const;

const LIFTED = 1_000_000;

/** A plan with rate limits that no test reaches, for tests that are not about rate limits. */
export const LIFTED_PLAN = {
  code: 'lifted',
  createBurst: LIFTED,
  createSustained: LIFTED,
  lookupBurst: LIFTED,
  lookupSustained: LIFTED,
};

export const CONTRACT_PLAN = { code: 'contract' };

let addresses = 0;

/** A new receiving address for each wallet, because an address belongs to one merchant. */
export function nextAddress(): string {
  addresses += 1;
  return `0x${(BigInt(process.pid) * 1_000_000n + BigInt(addresses)).toString(16).padStart(40, '0')}`;
}

const rings = new WeakMap<Database, Promise<KeyRing>>();

function ringOf(database: Database): Promise<KeyRing> {
  const made = async () => {
    const ring = createKeyRing();
    await registerKeyRing(database.queries, ring);
    return ring;
  };
  const ring = rings.get(database) ?? made();
  rings.set(database, ring);
  return ring;
}

export async function openStore(database: Database, options: StoreOptions = {}): Promise<TestStore> {
  const clock = options.clock ?? systemClock;
  const ring = options.ring ?? (await ringOf(database));
  const context = { networks: NETWORKS, database, clock, ring, jobs: undefined };
  const plan = {
    feeRatePercent: '0.5',
    minimumFeeMicroUsd: 0n,
    trialDays: 0,
    createBurst: 5,
    createSustained: 60,
    lookupBurst: 20,
    lookupSustained: 200,
    ...(options.plan ?? LIFTED_PLAN),
  };
  if (!(await findPlan(database.queries, plan.code))) await createPlan(context, TESTER, plan);
  const merchantAccountId = await createMerchant(context, TESTER, { name: 'Test merchant' });
  const create = options.test === true ? createTestStore : createStore;
  const store = await create(context, TESTER, {
    merchantAccountId,
    name: 'Test store',
    planCode: plan.code,
    discountPercent: options.discountPercent ?? '0',
    lifetimeMinutes: options.lifetimeMinutes ?? 30,
    httpsCallbacksOnly: options.httpsCallbacksOnly ?? false,
  });
  const ref = await storeForOperator(context, TESTER, store.merchantId);
  if (options.wallet ?? options.test !== true) {
    await addWallet(context, TESTER, { store: ref, network: 'BSC', address: nextAddress() });
  }
  const microUsd = options.creditMicroUsd ?? 1_000_000_000n;
  if (microUsd > 0n) await creditBalance(context, TESTER, { store: ref, microUsd, note: 'test' });
  return { ...store, merchantAccountId, ring, ref };
}
