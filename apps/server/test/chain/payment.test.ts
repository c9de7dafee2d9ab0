import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Address, Hex } from 'viem';
import { pad } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import compiled from '../../rig/chains/evm/contracts/contracts.json' with { type: 'json' };
import {
  BATCH_ADDRESS,
  payByBatch,
  payInternally,
  payNative,
  payRevertingNative,
  payToken,
  payTokens,
  poison,
} from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { ACCOUNT_KEYS, FAUCET } from '../../rig/chains/evm/sender.ts';
import {
  canonicalToken,
  deployLookAlike,
  installCanonicalTokens,
  MINTED_UNITS,
  readToken,
} from '../../rig/chains/evm/token.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const VISITOR: Address = '0x00000000000000000000000000000000005eeded';

type Log = { address: Address; topics: Hex[]; data: Hex; transactionHash: Hex; logIndex: Hex; blockNumber: Hex };
type Receipt = { status: Hex; to: Address; logs: Log[] };
type Block = { transactions: { hash: Hex; to: Address | null; value: Hex }[] };

let bsc: Anvil;
let ethereum: Anvil;
let receivers = 0;

const nextReceiver = (): Address => {
  receivers += 1;
  return pad(`0xfeed${receivers.toString(16).padStart(4, '0')}`, { size: 20 });
};
const usdt = (chain: Anvil) => canonicalToken(chain.chainId, 'USDT').address;
const receiptOf = (chain: Anvil, hash: Hex) => chain.rpc<Receipt>('eth_getTransactionReceipt', [hash]);
const balanceOf = async (chain: Anvil, address: Address) =>
  BigInt(await chain.rpc<Hex>('eth_getBalance', [address, 'latest']));
const transfersTo = (chain: Anvil, to: Address) =>
  chain.rpc<Log[]>('eth_getLogs', [{ fromBlock: '0x0', topics: [TRANSFER, null, pad(to, { size: 32 })] }]);
const headBlock = (chain: Anvil) => chain.rpc<Block>('eth_getBlockByNumber', ['latest', true]);

beforeAll(async () => {
  [bsc, ethereum] = await Promise.all([startAnvil({ chainId: 56 }), startAnvil({ chainId: 1 })]);
  await Promise.all([installCanonicalTokens(bsc), installCanonicalTokens(ethereum)]);
});

afterAll(async () => {
  await Promise.all([bsc.stop(), ethereum.stop()]);
});

describe('tokens', () => {
  test.each(['Token', 'Batch'] as const)('the compiled %s is that of the source beside it', (name) => {
    const source = readFileSync(new URL(`../../rig/chains/evm/contracts/${name}.sol`, import.meta.url));
    expect(compiled[name].sourceSha256).toBe(createHash('sha256').update(source).digest('hex'));
  });

  test('USDT and USDC stand at their real addresses with the decimals of their chain', async () => {
    for (const [chain, decimals] of [
      [bsc, 18],
      [ethereum, 6],
    ] as const) {
      for (const symbol of ['USDT', 'USDC']) {
        const { address } = canonicalToken(chain.chainId, symbol);
        expect(await readToken(chain, address, 'decimals')).toBe(decimals);
        expect(await readToken(chain, address, 'symbol')).toBe(symbol);
        expect(await readToken(chain, address, 'balanceOf', [FAUCET])).toBe(MINTED_UNITS);
      }
    }
  });

  test('a look-alike differs from the real token by its address alone', async () => {
    const original = canonicalToken(bsc.chainId, 'USDT');
    const fake = await deployLookAlike(bsc, original);
    expect(fake.address).not.toBe(original.address);
    expect(await readToken(bsc, fake.address, 'symbol')).toBe('USDT');
    expect(await readToken(bsc, fake.address, 'decimals')).toBe(18);
    const to = nextReceiver();
    await payToken(bsc, { token: fake.address, to, units: 5n });
    await mine(bsc);
    expect(await transfersTo(bsc, to)).toMatchObject([{ address: fake.address }]);
  });
});

describe('payments that arrive', () => {
  test('a token payment is one log with the exact units, from any payer', async () => {
    const to = nextReceiver();
    const token = usdt(ethereum);
    const hashes = [
      await payToken(ethereum, { token, to, units: 12_345_678n }),
      await payToken(ethereum, { token, to, units: 7n, from: VISITOR }),
    ];
    await mine(ethereum);
    const logs = await transfersTo(ethereum, to);
    expect(logs.map((log) => [log.transactionHash, BigInt(log.data)])).toEqual([
      [hashes[0], 12_345_678n],
      [hashes[1], 7n],
    ]);
    expect(logs.map((log) => log.topics[1])).toEqual([
      pad(FAUCET, { size: 32 }).toLowerCase(),
      pad(VISITOR, { size: 32 }).toLowerCase(),
    ]);
  });

  test('a native payment moves exactly its value, from any payer', async () => {
    const to = nextReceiver();
    const hash = await payNative(bsc, { to, units: 3n });
    await payNative(bsc, { to, units: 4n, from: VISITOR });
    await mine(bsc);
    expect(await receiptOf(bsc, hash)).toMatchObject({ status: '0x1', to, logs: [] });
    expect(await balanceOf(bsc, to)).toBe(7n);
    expect(await balanceOf(bsc, VISITOR)).toBe(0n);
  });

  test('payments sent at once all arrive: no two take the same nonce', async () => {
    const to = nextReceiver();
    await Promise.all(Array.from({ length: 20 }, () => payToken(bsc, { token: usdt(bsc), to, units: 1n })));
    await mine(bsc);
    expect(await transfersTo(bsc, to)).toHaveLength(20);
  });

  test('a batch is one transaction with a log per payment, whose from is the contract', async () => {
    const to = nextReceiver();
    const [tether, coin] = [usdt(bsc), canonicalToken(56, 'USDC').address];
    const hash = await payByBatch(bsc, [
      { token: tether, to, units: 1n },
      { token: coin, to, units: 2n },
      { token: tether, to, units: 3n },
    ]);
    await mine(bsc);
    const logs = await transfersTo(bsc, to);
    expect(logs.map((log) => BigInt(log.data))).toEqual([1n, 2n, 3n]);
    expect(new Set(logs.map((log) => log.transactionHash))).toEqual(new Set([hash]));
    expect(new Set(logs.map((log) => log.logIndex)).size).toBe(3);
    expect(new Set(logs.map((log) => log.topics[1]))).toEqual(new Set([pad(BATCH_ADDRESS, { size: 32 })]));
    expect((await receiptOf(bsc, hash)).to).toBe(BATCH_ADDRESS);
  });

  test('a batch by allowance is paid from its owner', async () => {
    const to = nextReceiver();
    const owner = ACCOUNT_KEYS[3]?.address ?? FAUCET;
    const payment = { token: usdt(ethereum), to, units: 9n };
    const hash = await payByBatch(ethereum, [payment, payment], owner);
    await mine(ethereum);
    expect((await receiptOf(ethereum, hash)).status).toBe('0x1');
    const from = pad(owner, { size: 32 }).toLowerCase();
    expect((await transfersTo(ethereum, to)).map((log) => log.topics[1])).toEqual([from, from]);
  });

  test('a thousand payments enter one block within seconds, those of one payer in their order', async () => {
    const to = nextReceiver();
    const payments = Array.from({ length: 1_000 }, (_, index) => ({ token: usdt(bsc), to, units: BigInt(index + 1) }));
    const hashes = await payTokens(bsc, payments);
    await mine(bsc);
    const logs = await transfersTo(bsc, to);
    expect(logs.map((log) => BigInt(log.data))).toEqual(payments.map((payment) => payment.units));
    expect(logs.map((log) => log.transactionHash)).toEqual(hashes);
    expect(new Set(logs.map((log) => log.blockNumber)).size).toBe(1);
  });

  test('many payments may come from many payers', async () => {
    const to = nextReceiver();
    const payments = Array.from({ length: 100 }, (_, index) => {
      const from = pad(`0xbeef${(index % 30).toString(16).padStart(4, '0')}`, { size: 20 });
      return { token: usdt(bsc), to, units: BigInt(index + 1), from };
    });
    const hashes = await payTokens(bsc, payments);
    await mine(bsc);
    const byHash = new Map((await transfersTo(bsc, to)).map((log) => [log.transactionHash, log]));
    const paid = hashes.map((hash) => [byHash.get(hash)?.topics[1], BigInt(byHash.get(hash)?.data ?? 0)]);
    expect(paid).toEqual(payments.map(({ from, units }) => [pad(from, { size: 32 }), units]));
  });
});

describe('payments that do not arrive, or not where one looks', () => {
  test('an internal payment arrives without a log and without a transaction to its receiver', async () => {
    const to = nextReceiver();
    const hash = await payInternally(bsc, { to, units: 11n });
    await mine(bsc);
    expect(await balanceOf(bsc, to)).toBe(11n);
    expect(await receiptOf(bsc, hash)).toMatchObject({ status: '0x1', to: BATCH_ADDRESS, logs: [] });
    const { transactions } = await headBlock(bsc);
    expect(transactions.map((transaction) => transaction.to)).toEqual([BATCH_ADDRESS]);
  });

  test('a reverted native payment stays listed in its block with its value, and pays nothing', async () => {
    const to = nextReceiver();
    const hash = await payRevertingNative(ethereum, { to, units: 5n });
    expect((await headBlock(ethereum)).transactions).toMatchObject([{ hash, to, value: '0x5' }]);
    expect((await receiptOf(ethereum, hash)).status).toBe('0x0');
    expect(await balanceOf(ethereum, to)).toBe(0n);
    await payNative(ethereum, { to, units: 6n });
    await mine(ethereum);
    expect(await balanceOf(ethereum, to)).toBe(6n);
  });

  test('poisoning writes a Transfer of zero from a victim that agreed to nothing', async () => {
    const [victim, to] = [nextReceiver(), nextReceiver()];
    const hash = await poison(bsc, { token: usdt(bsc), victim, to });
    await mine(bsc);
    expect((await receiptOf(bsc, hash)).status).toBe('0x1');
    const topics = [TRANSFER, pad(victim, { size: 32 }), pad(to, { size: 32 })];
    expect(await transfersTo(bsc, to)).toMatchObject([{ topics, data: pad('0x', { size: 32 }) }]);
  });
});
