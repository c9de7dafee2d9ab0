import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { headerAt, mine, reorg, rollback } from '../../rig/chains/evm/reorg.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { canonicalToken, installCanonicalTokens, readToken } from '../../rig/chains/evm/token.ts';

const GENESIS_TIME = 1_800_000_000;
const RECEIVER: Address = '0x00000000000000000000000000000000000feed1';

let chain: Anvil;
let token: Address;

type Receipt = { blockNumber: Hex; blockHash: Hex; status: Hex } | null;
const receiptOf = (hash: Hex) => chain.rpc<Receipt>('eth_getTransactionReceipt', [hash]);
const blockOf = async (hash: Hex) => Number((await receiptOf(hash))?.blockNumber);

beforeAll(async () => {
  chain = await startAnvil({ chainId: 56, timestamp: GENESIS_TIME, slotsInAnEpoch: 2 });
  await installCanonicalTokens(chain);
  token = canonicalToken(56, 'USDT').address;
});

afterAll(() => chain.stop());

/** Makes a payment in the lowest of three new blocks. */
async function paidThreeBlocksAgo(payer: number, units: bigint) {
  const signed = await signPayment(chain, { payer, token, to: RECEIVER, units });
  await sendSigned(chain, signed);
  const { number } = await mine(chain, 1);
  await mine(chain, 2);
  return { signed, number };
}

describe('mining', () => {
  test('a block has exactly the time that was asked for, and the next ones their distance', async () => {
    const atTime = GENESIS_TIME + 10_000;
    const head = await mine(chain, 3, { atTime, secondsBetween: 12 });
    const times = [head.number - 2, head.number - 1, head.number].map(
      async (at) => (await headerAt(chain, at)).timestamp,
    );
    expect(await Promise.all(times)).toEqual([atTime, atTime + 12, atTime + 24]);
    expect((await mine(chain, 1, { atTime: atTime + 25 })).timestamp).toBe(atTime + 25);
  });

  test('a time before that of the head is refused', async () => {
    await expect(mine(chain, 1, { atTime: GENESIS_TIME - 1 })).rejects.toThrow('lower than previous');
  });
});

describe('reorganising', () => {
  test('a payment that the new blocks leave out is gone, and does not return to the pool', async () => {
    const { signed, number } = await paidThreeBlocksAgo(1, 100n);
    const [old, oldHead] = [await headerAt(chain, number), await headerAt(chain, 'latest')];
    const head = await reorg(chain, 3);
    expect(head.number).toBe(oldHead.number);
    expect((await headerAt(chain, number)).hash).not.toBe(old.hash);
    expect((await headerAt(chain, number)).parentHash).toBe(old.parentHash);
    expect(await receiptOf(signed.hash)).toBeNull();
    expect(await chain.rpc('eth_getBlockByHash', [old.hash, false])).toBeNull();
    await mine(chain);
    expect(await receiptOf(signed.hash)).toBeNull();
  });

  test('the same signed payment moves to another block and keeps its hash', async () => {
    const { signed, number } = await paidThreeBlocksAgo(2, 200n);
    expect(await blockOf(signed.hash)).toBe(number);
    await reorg(chain, 3, [{ rawTransaction: signed.rawTransaction, offset: 2 }]);
    expect(await blockOf(signed.hash)).toBe(number + 2);
    await reorg(chain, 3, [{ rawTransaction: signed.rawTransaction, offset: 0 }]);
    expect(await blockOf(signed.hash)).toBe(number);
  });

  test('another payment with its nonce replaces the first for good', async () => {
    const { signed, number } = await paidThreeBlocksAgo(3, 300n);
    const { nonce } = signed;
    const other = await signPayment(chain, { payer: 3, token, to: RECEIVER, units: 301n, nonce });
    const before = (await readToken(chain, token, 'balanceOf', [RECEIVER])) as bigint;
    await reorg(chain, 3, [{ rawTransaction: other.rawTransaction, offset: 1 }]);
    expect(await blockOf(other.hash)).toBe(number + 1);
    expect(await receiptOf(signed.hash)).toBeNull();
    expect(await readToken(chain, token, 'balanceOf', [RECEIVER])).toBe(before + 1n);
    await expect(sendSigned(chain, signed)).rejects.toThrow('nonce');
  });

  test('new blocks follow the common ancestor by the seconds asked for', async () => {
    const head = await mine(chain, 2, { secondsBetween: 3 });
    const ancestor = await headerAt(chain, head.number - 2);
    await reorg(chain, 2, [], { secondsBetween: 30 });
    expect((await headerAt(chain, head.number - 1)).timestamp).toBe(ancestor.timestamp + 30);
    expect((await headerAt(chain, head.number)).timestamp).toBe(ancestor.timestamp + 60);
  });

  test('empty blocks with their old times still get other hashes', async () => {
    const head = await mine(chain, 2, { secondsBetween: 3 });
    const replaced = await headerAt(chain, head.number - 1);
    await reorg(chain, 2, [], { secondsBetween: 3 });
    const replacing = await headerAt(chain, head.number - 1);
    expect(replacing.timestamp).toBe(replaced.timestamp);
    expect(replacing.hash).not.toBe(replaced.hash);
  });

  test('even finalized blocks can be replaced, as a chain that breaks its promise does', async () => {
    await mine(chain, 10);
    const final = await headerAt(chain, 'finalized');
    await reorg(chain, 8);
    expect((await headerAt(chain, final.number)).hash).not.toBe(final.hash);
  });

  test('a payment that cannot be included is an error, not an omission', async () => {
    const { signed } = await paidThreeBlocksAgo(4, 400n);
    await mine(chain);
    const again = { rawTransaction: signed.rawTransaction, offset: 0 };
    await expect(reorg(chain, 1, [again])).rejects.toThrow('left a transaction out');
  });

  test('what is pending stays pending over a reorganisation', async () => {
    await mine(chain, 2);
    const signed = await signPayment(chain, { payer: 6, token, to: RECEIVER, units: 600n });
    await sendSigned(chain, signed);
    const head = await reorg(chain, 2);
    expect(await receiptOf(signed.hash)).toBeNull();
    await mine(chain);
    expect(await blockOf(signed.hash)).toBe(head.number + 1);
  });

  test('a rollback takes blocks and payments away, and the chain goes on from there', async () => {
    const { signed, number } = await paidThreeBlocksAgo(5, 500n);
    expect((await rollback(chain, 3)).number).toBe(number - 1);
    expect(await receiptOf(signed.hash)).toBeNull();
    await sendSigned(chain, signed);
    await mine(chain);
    expect(await blockOf(signed.hash)).toBe(number);
  });
});
