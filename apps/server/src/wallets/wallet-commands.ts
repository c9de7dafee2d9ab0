import { z } from 'zod';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { findStore } from '../stores/store-store.ts';
import { addWallet } from './add-wallet.ts';
import { removeWallet } from './remove-wallet.ts';
import { listWallets } from './wallet-store.ts';

const walletInput = z.object({ store: z.string(), network: z.string(), address: z.string() });

const walletAdd = command<OperatorContext, typeof walletInput>('wallet add', {
  summary: 'Let a store receive on a network at an address.',
  options: { store: 'MERCHANT_ID', network: 'SYMBOL      for example BSC, ETH, TRC20, SOL', address: 'ADDRESS' },
  input: walletInput,
  run: async ({ database, clock, actor }, { store, network, address }) => {
    const added = await addWallet(database, clock, { merchantId: store, network, address, actor });
    return { store, network, address: added.address };
  },
});

const removalInput = walletInput.extend({ reason: z.string().min(1).max(500) });

const walletRemove = command<OperatorContext, typeof removalInput>('wallet remove', {
  summary: 'Quote nothing new at an address. What was quoted stays payable.',
  options: { store: 'MERCHANT_ID', network: 'SYMBOL', address: 'ADDRESS', reason: 'TEXT' },
  input: removalInput,
  run: async ({ database, clock, actor }, { store, network, address, reason }) => {
    const removed = await removeWallet(database, clock, { merchantId: store, network, address, reason, actor });
    return { store, network, removed: removed.address };
  },
});

const storeChoice = z.object({ store: z.string() });

const walletList = command<OperatorContext, typeof storeChoice>('wallet list', {
  summary: 'Where a store receives.',
  options: { store: 'MERCHANT_ID' },
  input: storeChoice,
  run: async ({ database }, { store }) => {
    const found = await findStore(database.queries, store);
    if (!found) throw new OperatorError(`There is no store ${store}.`);
    return listWallets(database.queries, found.id);
  },
});

export const walletCommands = [walletAdd, walletRemove, walletList];
