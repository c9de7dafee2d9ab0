import { z } from 'zod';
import { formatDecimal, parseDecimal } from '../lib/amount.ts';
import { command } from './command.ts';
import { creditBalance } from '../ledger/credit-balance.ts';
import { DISCOUNT_DECIMALS, FEE_RATE_DECIMALS, MICRO_USD_DECIMALS } from '../ledger/fee.ts';
import { readAvailable } from '../ledger/ledger-sql.ts';
import type { OperatorContext } from './operator-context.ts';
import { CONTRACT_LIMITS } from '../stores/admission.ts';
import { activateMerchant } from '../merchants/activate-merchant.ts';
import { createMerchant } from '../merchants/create-merchant.ts';
import { createPlan } from '../merchants/create-plan.ts';
import { activateStore } from '../stores/activate-store.ts';
import { createTestStore } from '../sandbox/create-test-store.ts';
import { createStore } from '../stores/create-store.ts';
import { endOldApiKey } from '../stores/end-old-api-key.ts';
import { issueApiKey, MAX_OVERLAP_HOURS } from '../stores/issue-api-key.ts';
import { revealApiKey } from '../stores/reveal-api-key.ts';
import { LIFETIME_MINUTES } from '../stores/store.ts';
import { setStorePurpose } from '../stores/set-store-purpose.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { listStores } from '../stores/store-sql.ts';

const MAX_LISTED = 200;

const identifier = z
  .string()
  .regex(/^\d{1,18}$/, 'must be a number')
  .transform(BigInt);
const title = z.string().trim().min(1).max(255);
const yesNo = z.enum(['yes', 'no']).transform((word) => word === 'yes');
const percent = (decimals: number) =>
  z.string().refine((text) => {
    const units = parseDecimal(text, decimals);
    return units !== undefined && units <= 100n * 10n ** BigInt(decimals);
  }, `must be a decimal up to 100 with at most ${decimals} digits behind the point`);
const MAX_MONEY_MICRO_USD = 1_000_000_000n * 10n ** BigInt(MICRO_USD_DECIMALS);
const money = z.string().transform((text, context) => {
  const units = parseDecimal(text.replace(/^-/, ''), MICRO_USD_DECIMALS);
  if (units === undefined || units > MAX_MONEY_MICRO_USD) {
    context.addIssue('must be an amount in USD up to 1000000000 with at most 6 decimals');
    return z.NEVER;
  }
  return text.startsWith('-') ? -units : units;
});
const limit = (usual: number) => z.coerce.number().int().min(1).max(1_000_000).default(usual);

const planInput = z.object({
  code: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and dashes'),
  'fee-rate': percent(FEE_RATE_DECIMALS),
  'minimum-fee': money.refine((microUsd) => microUsd >= 0n, 'must not be negative').default(0n),
  'trial-days': z.coerce.number().int().min(0).max(3650).default(0),
  'create-burst': limit(CONTRACT_LIMITS.create.burst),
  'create-sustained': limit(CONTRACT_LIMITS.create.sustained),
  'lookup-burst': limit(CONTRACT_LIMITS.lookup.burst),
  'lookup-sustained': limit(CONTRACT_LIMITS.lookup.sustained),
});

const planCreate = command<OperatorContext, typeof planInput>('plan create', {
  summary: 'Define what stores pay and how fast they may call.',
  options: {
    code: 'NAME          for example standard',
    'fee-rate': 'PERCENT   for example 0.5',
    'minimum-fee': 'USD   least fee of an invoice (0)',
    'trial-days': 'DAYS   fees are waived so long (0)',
    'create-burst': 'N     creations per second (5)',
    'create-sustained': 'N creations per minute (60)',
    'lookup-burst': 'N     lookups per second (20)',
    'lookup-sustained': 'N lookups per minute (200)',
  },
  input: planInput,
  run: async (context, input) => {
    const plan = {
      code: input.code,
      feeRatePercent: input['fee-rate'],
      minimumFeeMicroUsd: input['minimum-fee'],
      trialDays: input['trial-days'],
      createBurst: input['create-burst'],
      createSustained: input['create-sustained'],
      lookupBurst: input['lookup-burst'],
      lookupSustained: input['lookup-sustained'],
    };
    await createPlan(context, context.actor, plan);
    return { plan: plan.code };
  },
});

const merchantInput = z.object({ name: title });

const merchantCreate = command<OperatorContext, typeof merchantInput>('merchant create', {
  summary: 'Open a merchant account.',
  options: { name: 'NAME' },
  input: merchantInput,
  run: async (context, { name }) => ({
    merchant: await createMerchant(context, context.actor, { name, shards: context.shards }),
  }),
});

const storeInput = z.object({
  merchant: identifier,
  name: title,
  plan: z.string(),
  test: yesNo.default(false),
  discount: percent(DISCOUNT_DECIMALS).default('0'),
  lifetime: z.coerce
    .number()
    .int()
    .min(LIFETIME_MINUTES.minimum)
    .max(LIFETIME_MINUTES.maximum)
    .default(LIFETIME_MINUTES.usual),
  'https-callbacks': yesNo.default(false),
});

const storeCreate = command<OperatorContext, typeof storeInput>('store create', {
  summary: 'Open a store; prints its merchant_id, API key and webhook secret.',
  options: {
    merchant: 'ID         the account that owns it',
    name: 'NAME           shown to customers',
    plan: 'CODE',
    test: 'yes|no         a store in the sandbox, where no money moves (no)',
    discount: 'PERCENT    off the fee (0)',
    lifetime: 'MINUTES    of its invoices, 10 to 1440 (30)',
    'https-callbacks': 'yes|no refuse http callback addresses (no)',
  },
  input: storeInput,
  run: async ({ database, clock, actor, keyRing }, input) => {
    const create = input.test ? createTestStore : createStore;
    const created = await create({ database, clock, ring: await keyRing() }, actor, {
      merchantAccountId: input.merchant,
      name: input.name,
      planCode: input.plan,
      discountPercent: input.discount,
      lifetimeMinutes: input.lifetime,
      httpsCallbacksOnly: input['https-callbacks'],
    });
    return {
      merchant_id: created.merchantId,
      api_key: created.apiKey,
      webhook_secret: created.webhookSecret,
      ...(created.trialEndsAt && { trial_ends_at: created.trialEndsAt }),
    };
  },
});

const nothing = z.object({});

const storeList = command<OperatorContext, typeof nothing>('store list', {
  summary: 'The newest stores.',
  options: {},
  input: nothing,
  run: async ({ database }) => listStores(database.queries, MAX_LISTED),
});

const storeChoice = z.object({ store: z.string() });
const storeOption = { store: 'MERCHANT_ID' };

function storeActivity(verb: 'activate' | 'deactivate') {
  return command<OperatorContext, typeof storeChoice>(`store ${verb}`, {
    summary:
      verb === 'activate' ? 'Let a store call again.' : 'Refuse calls of a store; its open invoices still settle.',
    options: storeOption,
    input: storeChoice,
    run: async (context, { store: code }) => {
      const store = await storeForOperator(context, context.actor, code);
      const parts = { ...context, jobs: (await context.outbox()).jobs };
      await activateStore(parts, context.actor, { store, active: verb === 'activate' });
      return { store: code, active: verb === 'activate' };
    },
  });
}

const purposeInput = z.object({ store: z.string(), purpose: z.enum(['topup', 'none']) });

const storePurpose = command<OperatorContext, typeof purposeInput>('store purpose', {
  summary: 'Let merchants pay into their balances at a store of yours, or end that.',
  options: { store: 'MERCHANT_ID', purpose: 'topup|none' },
  input: purposeInput,
  run: async (context, { store: code, purpose }) => {
    const store = await storeForOperator(context, context.actor, code);
    await setStorePurpose(context, context.actor, { store, purpose: purpose === 'topup' ? 'topup' : null });
    return { store: code, purpose };
  },
});

const merchantChoice = z.object({ merchant: identifier });

function merchantActivity(verb: 'activate' | 'deactivate') {
  return command<OperatorContext, typeof merchantChoice>(`merchant ${verb}`, {
    summary:
      verb === 'activate' ? 'Let the stores of a merchant call again.' : 'Refuse calls of all stores of a merchant.',
    options: { merchant: 'ID' },
    input: merchantChoice,
    run: async (context, { merchant }) => {
      await activateMerchant(context, context.actor, { merchantAccountId: merchant, active: verb === 'activate' });
      return { merchant, active: verb === 'activate' };
    },
  });
}

const keyInput = z.object({
  store: z.string(),
  overlap: z.coerce.number().int().min(0).max(MAX_OVERLAP_HOURS).default(0),
});

const keyCreate = command<OperatorContext, typeof keyInput>('key create', {
  summary: 'Regenerate the API key of a store; the owners are told. At most two keys live: a third ends the oldest.',
  options: { store: 'MERCHANT_ID', overlap: 'HOURS        the old key lives on so long, at most 168 (0)' },
  input: keyInput,
  run: async ({ database, clock, actor, keyRing, outbox }, { store: code, overlap }) => {
    const context = { database, clock, ring: await keyRing(), jobs: (await outbox()).jobs };
    const store = await storeForOperator(context, actor, code);
    return { api_key: await issueApiKey(context, actor, { store, overlapHours: overlap }) };
  },
});

const keyEndOld = command<OperatorContext, typeof storeChoice>('key end-old', {
  summary: 'End the older of the two API keys of a store now. Audited.',
  options: storeOption,
  input: storeChoice,
  run: async (context, { store: code }) => {
    const store = await storeForOperator(context, context.actor, code);
    return { store: code, ...(await endOldApiKey(context, context.actor, { store })) };
  },
});

const keyReveal = command<OperatorContext, typeof storeChoice>('key reveal', {
  summary: 'Show the API key of a store. Audited.',
  options: storeOption,
  input: storeChoice,
  run: async ({ database, clock, actor, keyRing }, { store: code }) => {
    const context = { database, clock, ring: await keyRing() };
    return { api_key: await revealApiKey(context, actor, { store: await storeForOperator(context, actor, code) }) };
  },
});

const creditInput = z.object({ store: z.string(), usd: money, note: title });

const balanceCredit = command<OperatorContext, typeof creditInput>('balance credit', {
  summary: 'Add to the balance of a store, or take back with a negative amount.',
  options: { store: 'MERCHANT_ID', usd: 'AMOUNT          for example 25.00', note: 'TEXT           why' },
  input: creditInput,
  run: async (context, { store: code, usd, note }) => {
    const store = await storeForOperator(context, context.actor, code);
    const available = await creditBalance(context, context.actor, { store, microUsd: usd, note });
    return { store: code, available: formatDecimal(available, MICRO_USD_DECIMALS, 2) };
  },
});

const balanceShow = command<OperatorContext, typeof storeChoice>('balance show', {
  summary: 'What a store can still spend on fees.',
  options: storeOption,
  input: storeChoice,
  run: async (context, { store }) => {
    const { id } = await storeForOperator(context, context.actor, store);
    const available = await readAvailable(context.database.queries, id);
    return { store, available: formatDecimal(available, MICRO_USD_DECIMALS, 2) };
  },
});

export const storeCommands = [
  planCreate,
  merchantCreate,
  merchantActivity('activate'),
  merchantActivity('deactivate'),
  storeCreate,
  storeList,
  storeActivity('activate'),
  storeActivity('deactivate'),
  storePurpose,
  keyCreate,
  keyEndOld,
  keyReveal,
  balanceCredit,
  balanceShow,
];
