import type { Address } from '@solana/kit';
import { createSolanaRpc } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RETRY_AFTER_SECONDS } from '../../rig/chains/provider-faults.ts';
import { callRpc, callRpcBatch } from '../../rig/chains/json-rpc.ts';
import { putLamports, putLookupTable, randomAddress, tokenAt } from '../../rig/chains/solana/accounts.ts';
import { associatedAccount, SYSTEM_PROGRAM } from '../../rig/chains/solana/instructions.ts';
import { blockAtOrBelow, blockTimeAt, FIRST_SLOT } from '../../rig/chains/solana/ledger.ts';
import { NEWER, USDC, USDT } from '../../rig/chains/solana/mints.ts';
import type { SolanaNode } from '../../rig/chains/solana/node.ts';
import { SOLANA_PROFILE, startSolanaNode } from '../../rig/chains/solana/node.ts';
import {
  payBatch,
  payByClosing,
  payFailing,
  paySol,
  paySpl,
  payThroughProgram,
} from '../../rig/chains/solana/payment.ts';

type Balance = { accountIndex: number; owner: string; mint: string; uiTokenAmount: { amount: string } };
type Transaction = {
  slot: number;
  version: 'legacy' | number;
  meta: {
    err: unknown;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: Balance[];
    postTokenBalances: Balance[];
    innerInstructions: { index: number; instructions: unknown[] }[];
    loadedAddresses: { writable: string[]; readonly: string[] };
  };
  transaction: { message: { accountKeys: string[] } };
};
type Listed = { signature: string; slot: number; err: unknown; memo: string | null; confirmationStatus: string };

let node: SolanaNode;
let wallet: Address;

beforeAll(async () => {
  node = await startSolanaNode();
});
afterAll(() => node.stop());
beforeEach(() => {
  wallet = randomAddress();
});

const ask = <Result>(method: string, params: unknown[] = []) => callRpc<Result>(node.url, { method, params });
const slotAt = (commitment: string) => ask<number>('getSlot', [{ commitment }]);
const list = (address: string, config: object = {}) =>
  ask<Listed[]>('getSignaturesForAddress', [address, { commitment: 'confirmed', ...config }]);
const read = (signature: string, config: object = { maxSupportedTransactionVersion: 1 }) =>
  ask<Transaction>('getTransaction', [signature, { commitment: 'confirmed', ...config }]);
const names = (found: Listed[]) => found.map((one) => one.signature);
const amounts = (balances: Balance[], owner: string) =>
  balances.filter((one) => one.owner === owner).map((one) => one.uiTokenAmount.amount);

describe('payments', () => {
  test('coins show in the balances of the accounts that the message names', async () => {
    const signature = paySol(node, { to: wallet, lamports: 1_500_000_000n });
    node.produce();
    const { meta, transaction } = await read(signature);
    const at = transaction.message.accountKeys.indexOf(wallet);
    expect([meta.preBalances[at], meta.postBalances[at]]).toEqual([0, 1_500_000_000]);
  });

  test('tokens arrive at an account that the payer creates, which has no balance before', async () => {
    const signature = await paySpl(node, { mint: USDT, to: wallet, units: 12_345_678n, memo: 'TID-1' });
    node.produce();
    const { meta } = await read(signature);
    expect(amounts(meta.preTokenBalances, wallet)).toEqual([]);
    expect(amounts(meta.postTokenBalances, wallet)).toEqual(['12345678']);
    const [listed] = await list(await associatedAccount(wallet, USDT.address));
    expect(listed).toMatchObject({ signature, err: null, memo: '[5] TID-1' });
  });

  test('the receiving wallet is not named when its token account exists already, so only that account lists the payment', async () => {
    const account = await associatedAccount(wallet, USDT.address);
    const table = randomAddress();
    await paySpl(node, { mint: USDT, to: wallet, units: 1n });
    putLookupTable(node.ledger.svm, table, [account]);
    node.produce(2);
    const signature = await paySpl(node, { mint: USDT, to: wallet, units: 2n, lookupTable: table });
    node.produce();
    const { version, meta, transaction } = await read(signature);
    expect(version).toBe(0);
    expect(meta.loadedAddresses.writable).toEqual([account]);
    expect(transaction.message.accountKeys).not.toContain(account);
    expect(names(await list(account))).toContain(signature);
  });

  test('a batch pays many owners in one transaction', async () => {
    const other = randomAddress();
    const signature = await payBatch(node, [
      { mint: USDT, to: wallet, units: 5n },
      { mint: USDC, to: wallet, units: 6n },
      { mint: USDT, to: other, units: 7n },
    ]);
    node.produce();
    const { meta } = await read(signature);
    expect(amounts(meta.postTokenBalances, wallet).toSorted()).toEqual(['5', '6']);
    expect(amounts(meta.postTokenBalances, other)).toEqual(['7']);
  });

  test('a failed payment is listed with its error, pays a fee and moves nothing', async () => {
    const signature = await payFailing(node, { mint: USDT, to: wallet, units: 50n });
    node.produce();
    const [listed] = await list(await associatedAccount(wallet, USDT.address));
    expect(listed).toMatchObject({ signature, err: { InstructionError: [1, { Custom: 1 }] } });
    const { meta } = await read(signature);
    expect(meta.preTokenBalances).toEqual(meta.postTokenBalances);
    expect(meta.postBalances[0]).toBe((meta.preBalances[0] ?? 0) - 5_000);
  });

  test('a call from program to program moves tokens by inner instructions only', async () => {
    const signature = await payThroughProgram(node, { mint: USDT, to: wallet, units: 9n });
    node.produce();
    const { meta } = await read(signature);
    expect(meta.err).toBeNull();
    expect(meta.innerInstructions[0]?.instructions.length).toBeGreaterThan(0);
    expect(amounts(meta.postTokenBalances, wallet)).toContain('9');
  });

  test('a closing token account pays coins without a transfer', async () => {
    const signature = payByClosing(node, { to: wallet, lamports: 2_000_000_000n });
    node.produce();
    const { meta, transaction } = await read(signature);
    expect(transaction.message.accountKeys).not.toContain(SYSTEM_PROGRAM);
    expect(meta.postBalances[transaction.message.accountKeys.indexOf(wallet)]).toBe(2_000_000_000);
  });

  test('the newer token program works beside the classic one', async () => {
    const signature = await paySpl(node, { mint: NEWER, to: wallet, units: 4n });
    node.produce();
    expect(amounts((await read(signature)).meta.postTokenBalances, wallet)).toEqual(['4']);
  });

  test('amounts above 2^53 keep all their digits, in texts and in numbers', async () => {
    await paySpl(node, { mint: USDT, to: wallet, units: 2n ** 63n + 1n });
    const whale = paySol(node, { to: wallet, lamports: 2n ** 60n + 1n });
    node.produce();
    const account = await associatedAccount(wallet, USDT.address);
    expect(tokenAt(node.ledger.svm, account)?.units).toBe(2n ** 63n + 1n);
    const body = { jsonrpc: '2.0', id: 1, method: 'getTransaction' };
    const params = [whale, { commitment: 'confirmed', maxSupportedTransactionVersion: 1 }];
    const response = await fetch(node.url, { method: 'POST', body: JSON.stringify({ ...body, params }) });
    expect(await response.text()).toContain(String(2n ** 60n + 1n));
  });
});

describe('slots', () => {
  test('confirmed is the newest block, finalized as far behind as on mainnet, processed the slot that is being filled', async () => {
    const { slot } = node.produce();
    expect(await slotAt('processed')).toBe(slot + 1);
    expect(await slotAt('confirmed')).toBe(slot);
    expect(await slotAt('finalized')).toBe(blockAtOrBelow(node.ledger, slot - 32)?.slot);
  });

  test('under Alpenglow what is confirmed is final, and the certificate says so', async () => {
    expect(await ask('getAgGenesisCert')).toBeNull();
    node.behave({ alpenglow: true });
    try {
      expect(await slotAt('finalized')).toBe(await slotAt('confirmed'));
      expect(await ask('getAgGenesisCert')).not.toBeNull();
    } finally {
      node.behave({ alpenglow: false });
    }
  });

  test('slots pass at the pace of the profile, some of them without a block, and the clock may be behind', async () => {
    const own = await startSolanaNode({ timestamp: 1_750_000_000, blockSeconds: SOLANA_PROFILE.blockSeconds });
    const first = own.produce(1, { atTime: 1_750_001_000 });
    const last = own.produce(1_000);
    const slots = last.slot - first.slot;
    expect(last.time - first.time).toBe(Math.floor(slots * SOLANA_PROFILE.blockSeconds));
    expect(slots).toBeGreaterThan(1_020);
    own.delayClock(1_800);
    expect(own.produce(1, { atTime: 1_750_009_000 }).time).toBe(1_750_007_200);
    await own.stop();
  });

  test('a client library reads what it expects', async () => {
    paySol(node, { to: wallet, lamports: 1_000_000_000n });
    const { slot } = node.produce();
    const rpc = createSolanaRpc(node.url);
    expect(await rpc.getSlot({ commitment: 'confirmed' }).send()).toBe(BigInt(slot));
    const block = await rpc
      .getBlock(BigInt(slot), { commitment: 'confirmed', maxSupportedTransactionVersion: 1, rewards: false })
      .send();
    expect(block?.transactions).toHaveLength(1);
    expect((await rpc.getBalance(wallet, { commitment: 'confirmed' }).send()).value).toBe(1_000_000_000n);
  });

  test('a skipped slot and one that is not there yet have errors of their own', async () => {
    const { slot } = node.produce();
    node.produce(1, { skip: true });
    const next = node.produce();
    const at = (one: number) => ask('getBlock', [one, { commitment: 'confirmed', transactionDetails: 'none' }]);
    await expect(at(slot + 1)).rejects.toMatchObject({ code: -32_004 });
    await expect(at(slot + 50)).rejects.toMatchObject({ code: -32_004 });
    expect(await ask('getBlocks', [slot, next.slot, { commitment: 'confirmed' }])).toEqual([slot, next.slot]);
    node.finalize();
    await expect(at(slot + 1)).rejects.toMatchObject({ code: -32_007 });
    await expect(at(FIRST_SLOT - 25)).rejects.toMatchObject({ code: -32_009 });
    await expect(at(1)).rejects.toMatchObject({ code: -32_001 });
    expect(await at(FIRST_SLOT - 24)).toMatchObject({ blockTime: blockTimeAt(node.ledger, FIRST_SLOT - 24) });
  });

  test('transactions are indexed some slots after their block is known: the list lacks them, and only the block shows that', async () => {
    const signature = paySol(node, { to: wallet, lamports: 1_000_000_000n });
    const { slot } = node.produce();
    node.behave({ indexLagSlots: 3 });
    try {
      expect(await list(wallet, { minContextSlot: slot })).toEqual([]);
      expect(await read(signature)).toBeNull();
      const at = (one: number) => ask('getBlock', [one, { commitment: 'confirmed', transactionDetails: 'none' }]);
      await expect(at(slot)).rejects.toMatchObject({ code: -32_014 });
      node.produce(4);
      expect(await at(slot)).toMatchObject({ parentSlot: expect.any(Number) });
      expect(names(await list(wallet))).toEqual([signature]);
    } finally {
      node.behave({ indexLagSlots: 0 });
    }
  });

  test('a transaction with a version needs a client that says it knows versions', async () => {
    const signature = paySol(node, { to: wallet, lamports: 1_000_000_000n });
    const legacy = paySol(node, { to: wallet, lamports: 1n, version: 'legacy' });
    node.produce();
    await expect(read(signature, {})).rejects.toMatchObject({ code: -32_015 });
    expect((await read(legacy, {})).meta.err).toBeNull();
  });

  test('every third transaction is of version 1: without lookup tables, with a configuration, and for clients that know it', async () => {
    const signatures = Array.from({ length: 3 }, () => paySol(node, { to: wallet, lamports: 1_000_000_000n }));
    node.produce();
    const told = await Promise.all(signatures.map((signature) => read(signature)));
    const first = told.find(({ version }) => version === 1);
    expect(told.filter(({ version }) => version === 0)).toHaveLength(2);
    expect(first?.transaction.message).toMatchObject({ transactionConfig: {} });
    expect(first?.transaction.message).not.toHaveProperty('addressTableLookups');
    const newest = signatures[told.findIndex(({ version }) => version === 1)] ?? '';
    await expect(read(newest, { maxSupportedTransactionVersion: 0 })).rejects.toMatchObject({
      code: -32_015,
      message: expect.stringContaining('"maxSupportedTransactionVersion": 1'),
    });
  });

  test('what cannot even pay its fee is refused before it is in a block', async () => {
    const from = randomAddress();
    const signature = paySol(node, { to: wallet, lamports: 1_000_000_000n, from });
    const { transactions } = node.produce();
    const wire = Buffer.from(transactions.find((one) => one.signature === signature)?.wire ?? []).toString('base64');
    putLamports(node.ledger.svm, from, 0n);
    const sent = ask('sendTransaction', [wire, { encoding: 'base64' }]);
    await expect(sent).rejects.toMatchObject({ code: -32_002 });
  });

  test('a fork takes back the newest blocks and their effects, and what is put in again keeps its signature', async () => {
    const account = await associatedAccount(wallet, USDT.address);
    const signature = await paySpl(node, { mint: USDT, to: wallet, units: 3n });
    const { slot } = node.produce();
    node.produce();
    node.drop(2, 'reinclude');
    expect(await list(account)).toEqual([]);
    const again = node.produce();
    expect(await list(account)).toMatchObject([{ signature, slot: again.slot }]);
    expect(again.slot).toBeGreaterThanOrEqual(slot + 2);
    expect(tokenAt(node.ledger.svm, account)?.units).toBe(3n);
    node.drop(1);
    node.produce();
    expect(await list(account)).toEqual([]);
    expect(await read(signature)).toBeNull();
    expect(tokenAt(node.ledger.svm, account)).toBeNull();
  });
});

describe('lists of signatures', () => {
  test('come newest first, in pages from one signature to another', async () => {
    const signatures = Array.from({ length: 6 }, () => {
      const signature = paySol(node, { to: wallet, lamports: 1_000_000_000n });
      node.produce();
      return signature;
    }).toReversed();
    expect(names(await list(wallet))).toEqual(signatures);
    expect(names(await list(wallet, { limit: 2 }))).toEqual(signatures.slice(0, 2));
    expect(names(await list(wallet, { before: signatures[1], limit: 2 }))).toEqual(signatures.slice(2, 4));
    expect(names(await list(wallet, { until: signatures[2] }))).toEqual(signatures.slice(0, 2));
    await expect(list(wallet, { limit: 1_001 })).rejects.toMatchObject({ code: -32_602 });
  });

  test('going on from an unknown signature is an error; at older nodes it looks like the end', async () => {
    paySol(node, { to: wallet, lamports: 1_000_000_000n });
    node.produce();
    await expect(list(wallet, { before: '1'.repeat(64) })).rejects.toMatchObject({ code: -32_020 });
    await expect(list(wallet, { until: '1'.repeat(64) })).rejects.toMatchObject({ code: -32_020 });
    node.behave({ forgetsSilently: true });
    expect(await list(wallet, { before: '1'.repeat(64) })).toEqual([]);
    node.behave({ forgetsSilently: false });
  });
});

describe('a provider on a bad day', () => {
  test('a backend that is behind knows less, and says so only when it is asked for a slot', async () => {
    paySol(node, { to: wallet, lamports: 1_000_000_000n });
    const { slot } = node.produce();
    node.behave({ lagSlots: 3 });
    try {
      expect(await slotAt('confirmed')).toBe(blockAtOrBelow(node.ledger, slot - 3)?.slot);
      expect(await list(wallet)).toEqual([]);
      await expect(list(wallet, { minContextSlot: slot })).rejects.toMatchObject({ code: -32_016 });
      node.behave({ ignoresMinContextSlot: true });
      expect(await list(wallet, { minContextSlot: slot })).toEqual([]);
    } finally {
      node.behave({ lagSlots: 0, ignoresMinContextSlot: false });
    }
  });

  test('two backends share the requests, and a batch when batches are split', async () => {
    node.behave({ lagSlots: 3, staleShare: 0.5, splitBatches: true });
    try {
      const calls = Array.from({ length: SOLANA_PROFILE.batchMaxCalls ?? 0 }, () => ({
        method: 'getSlot',
        params: [{ commitment: 'confirmed' }],
      }));
      expect(new Set(await callRpcBatch(node.url, calls)).size).toBe(2);
      node.behave({ splitBatches: false });
      expect(new Set(await callRpcBatch(node.url, calls)).size).toBe(1);
      await expect(callRpcBatch(node.url, [...calls, ...calls])).rejects.toThrow(Error);
    } finally {
      node.behave({ lagSlots: 0, staleShare: 1, splitBatches: false });
    }
  });

  test('busy is 429 with the seconds to wait, and a page comes with status 200', async () => {
    node.behave({ fault: 'busy' });
    const busy = await fetch(node.url, { method: 'POST', body: '[]' });
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, String(RETRY_AFTER_SECONDS)]);
    node.behave({ fault: 'html' });
    const page = await fetch(node.url, { method: 'POST', body: '[]' });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
    node.behave({ fault: null });
  });
});
