import { z } from 'zod';
import { command } from './command.ts';
import { hasReason, NO_REASON, orderFields, orderOf, orderOptions, showWaiting } from './method-commands.ts';
import type { OperatorContext } from './operator-context.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { addWallet } from '../wallets/add-wallet.ts';
import { removeWallet } from '../wallets/remove-wallet.ts';
import { listWallets } from '../wallets/wallet-sql.ts';

const walletInput = z.object({ store: z.string(), network: z.string(), address: z.string() });

const additionInput = walletInput.extend(orderFields).refine(hasReason, NO_REASON);

const walletAdd = command<OperatorContext, typeof additionInput>('wallet add', {
  summary:
    'Let a store receive on a network at an address: its first immediately, others after the delay of its merchant.',
  options: {
    store: 'MERCHANT_ID',
    network: 'SYMBOL      for example BSC, ETH, TRC20, SOL',
    address: 'ADDRESS',
    ...orderOptions,
  },
  input: additionInput,
  run: async (context, { store: code, network, address, ...order }) => {
    const store = await storeForOperator(context, context.actor, code);
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const added = await addWallet(parts, context.actor, { store, network, address, now: orderOf(order) });
    return { store: code, network, address: added.address, ...showWaiting(added.waiting) };
  },
});

const removalInput = walletInput.extend({ reason: z.string().min(1).max(500) });

const walletRemove = command<OperatorContext, typeof removalInput>('wallet remove', {
  summary: 'Stop quoting an address. Existing quotes stay payable.',
  options: { store: 'MERCHANT_ID', network: 'SYMBOL', address: 'ADDRESS', reason: 'TEXT' },
  input: removalInput,
  run: async (context, { store: code, network, address, reason }) => {
    const store = await storeForOperator(context, context.actor, code);
    const removed = await removeWallet(context, context.actor, { store, network, address, reason });
    return { store: code, network, removed: removed.address };
  },
});

const storeChoice = z.object({ store: z.string() });

const walletList = command<OperatorContext, typeof storeChoice>('wallet list', {
  summary: 'Where a store receives.',
  options: { store: 'MERCHANT_ID' },
  input: storeChoice,
  run: async (context, { store }) => {
    const { id } = await storeForOperator(context, context.actor, store);
    return listWallets(context.database.queries, id);
  },
});

export const walletCommands = [walletAdd, walletRemove, walletList];
