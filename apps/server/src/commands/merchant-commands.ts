import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { z } from 'zod';
import { activateMerchant } from '../merchants/activate-merchant.ts';
import { approveMerchant } from '../merchants/approve-merchant.ts';
import { createMerchant } from '../merchants/create-merchant.ts';
import { appliesFrom, delayAt } from '../merchants/method-delay.ts';
import { formatDiscount, formatFeeRate } from '../merchants/plan.ts';
import type { ListedStore } from '../stores/store-list-sql.ts';
import { listMerchants } from '../stores/store-list-sql.ts';
import type { DescribedMerchant } from '../wallets/describe-merchant.ts';
import { DESCRIBED, describeMerchant } from '../wallets/describe-merchant.ts';
import type { MethodOfStore } from '../wallets/wallet-sql.ts';
import { command } from './command.ts';
import { identifier, title, yesNo } from './command-fields.ts';
import type { OperatorContext } from './operator-context.ts';

const merchantInput = z.object({ name: title });

const merchantCreate = command<OperatorContext, typeof merchantInput>('merchant create', {
  summary: 'Open a merchant account.',
  options: { name: 'NAME' },
  input: merchantInput,
  run: async (context, { name }) => ({
    merchant: await createMerchant(context, context.actor, { name, shards: context.shards }),
  }),
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

const merchantApprove = command<OperatorContext, typeof merchantChoice>('merchant approve', {
  summary: 'Approve a merchant that a user opened for live stores.',
  options: { merchant: 'ID' },
  input: merchantChoice,
  run: async (context, { merchant }) => {
    const { isNew } = await approveMerchant(context, context.actor, { merchantAccountId: merchant });
    return { merchant, approved: isNew };
  },
});

const MAX_LISTED = 200;

const listInput = z.object({ name: title.optional(), waiting: yesNo.optional(), after: identifier.optional() });

const merchantList = command<OperatorContext, typeof listInput>('merchant list', {
  summary: `Merchants, newest first, ${MAX_LISTED} at most.`,
  options: {
    name: 'TEXT           only names that contain this',
    waiting: 'yes|no        only those that wait for approval, or only others',
    after: 'NUMBER        next page: the last merchant of the page before',
  },
  input: listInput,
  run: async ({ database }, { name, waiting, after }) => {
    const merchants = await listMerchants(database.queries, { name, waiting }, { before: after, limit: MAX_LISTED });
    return merchants.map(({ id, code, name: shown, active, isWaiting, stores, createdAt }) => ({
      merchant: id,
      code,
      name: shown,
      active,
      waits_for_approval: isWaiting,
      stores,
      created_at: createdAt,
    }));
  },
});

function showStore(store: ListedStore, methods: readonly MethodOfStore[]) {
  return {
    store: store.merchantId,
    name: store.name,
    live: store.live,
    active: store.active,
    ...(store.purpose !== null && { purpose: store.purpose }),
    created_at: store.createdAt,
    plan: store.plan,
    fee_percent: formatFeeRate(store.feeRatePercent),
    minimum_fee_usd: formatMicroUsd(store.minimumFeeMicroUsd),
    discount_percent: formatDiscount(store.discountPercent),
    ...(store.trialEndsAt && { trial_ends_at: store.trialEndsAt }),
    creates_per_second: store.createBurst,
    creates_per_minute: store.createSustained,
    lookups_per_second: store.lookupBurst,
    lookups_per_minute: store.lookupSustained,
    available_usd: formatMicroUsd(store.availableMicroUsd),
    overdraft_limit_usd: formatMicroUsd(store.overdraftMicroUsd),
    payment_methods: methods.map(({ network, address, addedAt, fault, stopped }) => ({
      network,
      address,
      added_at: addedAt,
      ...(fault !== null && { fault }),
      ...(stopped && { stopped }),
    })),
  };
}

function showMerchant({ merchant, owners, storeCount, stores, methods }: DescribedMerchant, at: Date) {
  const from = appliesFrom(merchant, at);
  return {
    merchant: merchant.id,
    code: merchant.code,
    name: merchant.name,
    active: merchant.active,
    shard: merchant.shard,
    created_at: merchant.createdAt,
    two_factor_required: merchant.twoFactorRequired,
    method_delay_hours: delayAt(merchant, at),
    ...(from > at && { shorter_delay_hours: merchant.shorterHours, shorter_delay_from: from }),
    ...(merchant.lockedAt && { methods_locked_at: merchant.lockedAt, methods_locked_by: merchant.lockedBy }),
    owners: owners.map(({ person, name, mail, hasFactor, isDisabled }) => ({
      person,
      name,
      email: mail,
      two_factor: hasFactor,
      disabled: isDisabled,
    })),
    store_count: storeCount,
    stores: stores.map((store) => showStore(store, methods.get(store.id) ?? [])),
  };
}

const showInput = z.object({ merchant: z.string() });

const merchantShow = command<OperatorContext, typeof showInput>('merchant show', {
  summary: `A merchant with its owners and its ${DESCRIBED.stores} newest stores: plan, balance and payment methods in force.`,
  options: { merchant: 'NUMBER|ACC-...' },
  input: showInput,
  run: async (context, { merchant }) => {
    const described = await describeMerchant(context, context.actor, { merchant });
    return showMerchant(described, new Date(context.clock.nowMs()));
  },
});

export const merchantCommands = [
  merchantCreate,
  merchantApprove,
  merchantList,
  merchantShow,
  merchantActivity('activate'),
  merchantActivity('deactivate'),
];
