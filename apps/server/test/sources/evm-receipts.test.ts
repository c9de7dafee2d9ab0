import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChainTransfer } from '../../src/sources/transfer.ts';
import { payNative, payToken } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import type { ProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import { request, startProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import { changing } from '../../rig/chains/rpc-proxy.ts';

/** Receipts: what they show, what they leave out, and what follows from either. */

const STORE: Address = '0x00000000000000000000000000000000000000aa';
const ELSEWHERE = `0x${'5'.repeat(64)}`;

let node: ProxiedNode;
let coin: Hex;
let token: Hex;
let coins: ChainTransfer[];
beforeAll(async () => {
  node = await startProxiedNode('BSC');
  coin = await payNative(node.anvil, { to: STORE, units: 5n });
  token = await payToken(node.anvil, { token: node.contract('USDT'), to: STORE, units: 7n });
  const { number: height } = await mine(node.anvil, 1, { secondsBetween: 1 });
  const { source } = node.open();
  const { transfers } = await source.readBlocks(request(height, height, { native: true }));
  coins = transfers.filter(({ txId }) => txId === coin);
});
afterAll(() => node.stop());
beforeEach(() => node.proxy.answerTruly());

/** Changes the receipt of one transaction. */
const receiptOf = (txId: Hex, change: (receipt: object) => unknown) =>
  changing(({ method, params }, result) =>
    method === 'eth_getTransactionReceipt' && params[0] === txId ? change(result as object) : result,
  );

describe('coins', () => {
  test('arrive when their transaction succeeded, and not when it failed', async () => {
    const { source } = node.open();
    expect(await source.confirm(coins, 'first')).toMatchObject([{ txId: coin, units: 5n }]);
    node.proxy.answer(receiptOf(coin, (receipt) => ({ ...receipt, status: '0x0' })));
    expect(await source.confirm(coins, 'first')).toEqual([]);
  });

  test('whose receipt is missing are not there yet, and have not failed', async () => {
    const { source } = node.open();
    node.proxy.answer(receiptOf(coin, () => null));
    await expect(source.confirm(coins, 'first')).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test('whose receipt is of another block are not believed, and have not failed', async () => {
    const { source } = node.open();
    node.proxy.answer(receiptOf(coin, (receipt) => ({ ...receipt, blockHash: ELSEWHERE })));
    await expect(source.confirm(coins, 'first')).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('are confirmed by another provider where one has no receipt of them yet', async () => {
    const { source } = node.open(node.anvil.url);
    node.proxy.answer(receiptOf(coin, () => null));
    expect(await source.confirm(coins, 'first')).toMatchObject([{ txId: coin }]);
  });
});

test('a receipt that does not say how its transaction ended proves nothing, and hides no other', async () => {
  const { source } = node.open();
  node.proxy.answer(receiptOf(coin, (receipt) => ({ ...receipt, status: undefined })));
  expect(await source.receipts([coin, token], 'first')).toMatchObject([null, { txId: token, succeeded: true }]);
});

test('a receipt of another transaction than the one that was asked for is not believed', async () => {
  const { source } = node.open();
  node.proxy.answer(receiptOf(coin, (receipt) => ({ ...receipt, transactionHash: token })));
  await expect(source.receipts([coin], 'first')).rejects.toMatchObject({ kind: 'inconsistent' });
  expect(await source.receipts([token], 'first')).toMatchObject([{ txId: token }]);
});
