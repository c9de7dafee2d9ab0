import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import { command } from './command.ts';
import { identifier, money, percent, title, yesNo } from './command-fields.ts';
import { creditBalance } from '../ledger/credit-balance.ts';
import { DISCOUNT_DECIMALS } from '../ledger/fee.ts';
import { readAvailable } from '../ledger/ledger-sql.ts';
import { formatDiscount } from '../merchants/plan.ts';
import { requireMerchant } from '../merchants/require-merchant.ts';
import type { OperatorContext } from './operator-context.ts';
import { activateStore } from '../stores/activate-store.ts';
import { createTestStore } from '../sandbox/create-test-store.ts';
import { createStore } from '../stores/create-store.ts';
import { endOldApiKey } from '../stores/end-old-api-key.ts';
import { issueApiKey, MAX_OVERLAP_HOURS } from '../stores/issue-api-key.ts';
import { revealApiKey } from '../stores/reveal-api-key.ts';
import { LIFETIME_MINUTES } from '../stores/store.ts';
import { setStoreDiscount } from '../stores/set-store-discount.ts';
import { setStorePlan } from '../stores/set-store-plan.ts';
import { setStorePurpose } from '../stores/set-store-purpose.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { listStores } from '../stores/store-list-sql.ts';

const MAX_LISTED = 200;

const storeInput = z.object({
  merchant: identifier,
  name: title,
  plan: z.string(),
  test: yesNo.default(false),
  discount: percent(DISCOUNT_DECIMALS).default('0'),
  lifetime: wholeNumber(LIFETIME_MINUTES.minimum, LIFETIME_MINUTES.maximum).default(LIFETIME_MINUTES.usual),
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

const listInput = z.object({ merchant: identifier.optional(), after: z.string().optional() });

const storeList = command<OperatorContext, typeof listInput>('store list', {
  summary: `Stores, newest first, ${MAX_LISTED} at most.`,
  options: {
    merchant: 'NUMBER     only stores of this merchant',
    after: 'MERCHANT_ID   next page: the last store of the page before',
  },
  input: listInput,
  run: async (context, { merchant, after }) => {
    if (merchant !== undefined) await requireMerchant(context.database.queries, String(merchant));
    const before = after === undefined ? undefined : (await storeForOperator(context, context.actor, after)).id;
    const stores = await listStores(context.database.queries, merchant, { before, limit: MAX_LISTED });
    return stores.map(({ merchantId, name, merchant: owner, active, live, ...store }) => ({
      merchantId,
      name,
      merchant: owner,
      active,
      live,
      plan: store.plan,
      discount_percent: formatDiscount(store.discountPercent),
    }));
  },
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
  summary: 'Let merchants top up their balances at one of your stores, or stop that.',
  options: { store: 'MERCHANT_ID', purpose: 'topup|none' },
  input: purposeInput,
  run: async (context, { store: code, purpose }) => {
    const store = await storeForOperator(context, context.actor, code);
    await setStorePurpose(context, context.actor, { store, purpose: purpose === 'topup' ? 'topup' : null });
    return { store: code, purpose };
  },
});

const planInput = z.object({ store: z.string(), plan: z.string() });

const storePlan = command<OperatorContext, typeof planInput>('store plan', {
  summary: 'Put a store on another plan, for invoices created from now on. Audited.',
  options: { store: 'MERCHANT_ID', plan: 'CODE           as plan list shows it' },
  input: planInput,
  run: async (context, { store: code, plan }) => {
    const store = await storeForOperator(context, context.actor, code);
    return { store: code, before: await setStorePlan(context, context.actor, { store, planCode: plan }), plan };
  },
});

const discountInput = z.object({ store: z.string(), percent: percent(DISCOUNT_DECIMALS) });

const storeDiscount = command<OperatorContext, typeof discountInput>('store discount', {
  summary: 'Set what a store pays less than its plan says, for invoices created from now on. Audited.',
  options: { store: 'MERCHANT_ID', percent: 'PERCENT     off the fee, 0 to 100; 100 makes its invoices free' },
  input: discountInput,
  run: async (context, { store: code, percent: wanted }) => {
    const store = await storeForOperator(context, context.actor, code);
    const { before, after } = await setStoreDiscount(context, context.actor, { store, percent: wanted });
    return { store: code, before, discount_percent: after };
  },
});

const keyInput = z.object({
  store: z.string(),
  overlap: wholeNumber(0, MAX_OVERLAP_HOURS).default(0),
});

const keyCreate = command<OperatorContext, typeof keyInput>('key create', {
  summary:
    'Regenerate the API key of a store; the owners are notified. A store has at most two live keys: a third ends the oldest.',
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
  summary: 'Credit the balance of a store, or debit it with a negative amount.',
  options: { store: 'MERCHANT_ID', usd: 'AMOUNT          for example 25.00', note: 'TEXT           why' },
  input: creditInput,
  run: async (context, { store: code, usd, note }) => {
    const store = await storeForOperator(context, context.actor, code);
    const available = await creditBalance(context, context.actor, { store, microUsd: usd, note });
    return { store: code, available: formatMicroUsd(available) };
  },
});

const balanceShow = command<OperatorContext, typeof storeChoice>('balance show', {
  summary: 'What a store can still spend on fees.',
  options: storeOption,
  input: storeChoice,
  run: async (context, { store }) => {
    const { id } = await storeForOperator(context, context.actor, store);
    const available = await readAvailable(context.database.queries, id);
    return { store, available: formatMicroUsd(available) };
  },
});

export const storeCommands = [
  storeCreate,
  storeList,
  storeActivity('activate'),
  storeActivity('deactivate'),
  storePurpose,
  storePlan,
  storeDiscount,
  keyCreate,
  keyEndOld,
  keyReveal,
  balanceCredit,
  balanceShow,
];
