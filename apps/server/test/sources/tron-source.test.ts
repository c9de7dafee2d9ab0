import { tronFromHex } from '@counterfoil/core/tron-address.ts';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../../src/lib/clock.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { ChainSource, ReadRequest } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { PATIENCE_MS } from '../../src/sources/json-rpc/patient-read.ts';
import { inspectTronTransaction } from '../../src/sources/tron/inspect-transaction.ts';
import { parseTronAddress } from '../../src/sources/tron/tron-endpoint.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import { payByBatch, payInternally, payNative, payRevertingNative, payToken } from '../../rig/chains/evm/payment.ts';
import { headerAt, mine } from '../../rig/chains/evm/reorg.ts';
import { FAUCET } from '../../rig/chains/evm/sender.ts';
import { canonicalToken, deployLookAlike, installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import { TRON_CHAIN_ID } from '../../rig/chains/tron/block.ts';
import type { TronFault, TronNode } from '../../rig/chains/tron/node.ts';
import { startTronNode, TRON_DEFAULTS } from '../../rig/chains/tron/node.ts';
import { poseAsCoin } from '../../rig/chains/tron/payment.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';

/** The adapter's reading of each row of the dialect, and of each trap that Tron sets. */

const tron = findNetwork('TRC20');
if (!tron) throw new Error('TRC20 is unknown.');
const USDT = canonicalToken(TRON_CHAIN_ID, 'USDT');
const TOKEN = USDT.address;
const STORE: Address = '0x00000000000000000000000000000000000000aa';
const base58 = (address: Address) => tronFromHex(address) ?? '';
const UNITS = 12_345_678n;
const COIN_UNITS = 1_500_000n;

let node: TronNode;
/**
 * Block with a batch of three token transfers, their minting, a coin, lookalikes of coins, and a coin through a
 * contract.
 */
let height: number;
let local: { genesisHash: string | undefined };
let solid: number;
let hashes: { batch: Hex; coin: Hex; asset: Hex; internal: Hex; failed: Hex };

beforeAll(async () => {
  node = await startTronNode();
  local = { genesisHash: await genesisOf(node.url) };
  await installCanonicalTokens(node.anvil);
  const failed = await payRevertingNative(node.anvil, { to: STORE, units: 7n });
  await payByBatch(node.anvil, []);
  await mine(node.anvil);
  const batch = await payByBatch(
    node.anvil,
    [UNITS, 0n, UNITS].map((units) => ({ token: TOKEN, to: STORE, units })),
  );
  const coin = await payNative(node.anvil, { to: STORE, units: COIN_UNITS });
  const asset = await poseAsCoin(node.anvil, 'TransferAssetContract', { to: STORE, units: COIN_UNITS });
  await poseAsCoin(node.anvil, 'VoteWitnessContract', { to: STORE, units: COIN_UNITS });
  await poseAsCoin(node.anvil, 'FreezeBalanceContract', { to: STORE, units: COIN_UNITS });
  const internal = await payInternally(node.anvil, { to: STORE, units: COIN_UNITS });
  height = (await mine(node.anvil)).number;
  hashes = { batch, coin, asset, internal, failed };
  const head = await mine(node.anvil, 30, { secondsBetween: 3 });
  solid = head.number - TRON_DEFAULTS.solidLag;
});
afterAll(() => node.stop());
beforeEach(() => node.behave(TRON_DEFAULTS));

const source = (...urls: string[]) => createTronSource(tron, urls.length > 0 ? urls : [node.url], local);
const first = (from: number, to: number): ReadRequest => ({ from, to, native: false, headers: 'all', pass: 'first' });
const second = (from: number, to: number, native = true): ReadRequest => ({
  from,
  to,
  native,
  headers: 'ends',
  pass: 'second',
});

const read = (from: ChainSource, request: ReadRequest) =>
  request.pass === 'second' ? from.readBlocks(request) : from.read(request);

const coinsAt = async (at: number) =>
  (await read(source(), second(at, at))).transfers.filter(({ index }) => index === 'native');
const inspect = (hash: Hex, form = (text: string) => text) => inspectTronTransaction(tron, node.url, form(hash));

async function failureOf(work: Promise<unknown>): Promise<{ kind: string; message: string; suggested?: number }> {
  const cause: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(cause instanceof SourceError)) throw new Error(`It did not fail as a source does: ${String(cause)}`);
  const { kind, message, suggestedRange } = cause;
  return { kind, message, ...(suggestedRange !== undefined && { suggested: suggestedRange }) };
}

describe('what is believed', () => {
  test('the number of the chain and the decimals of each token are proved before anything is read', async () => {
    await expect(source().verify()).resolves.toBeUndefined();
    const elsewhere = createTronSource({ ...tron, chainId: 1 }, [node.url]);
    await expect(elsewhere.verify()).rejects.toThrow(`serves chain ${TRON_CHAIN_ID}`);
    await expect(elsewhere.heads('first')).rejects.toThrow(`serves chain ${TRON_CHAIN_ID}`);
    const tokens = tron.tokens.map((token) => ({ ...token, decimals: 18 }));
    await expect(createTronSource({ ...tron, tokens }, [node.url], local).verify()).rejects.toThrow(
      '6 decimals, not 18',
    );
  });

  test('JSON-RPC and the solidified view of one provider must show the same chain', async () => {
    node.behave({
      wallet: (_path, answer) => ({
        ...(answer as object),
        blockID: `${solid.toString(16).padStart(16, '0')}${'ab'.repeat(24)}`,
      }),
    });
    expect(await failureOf(source().verify())).toMatchObject({ kind: 'unavailable', message: /different blocks/ });
  });

  test("the heads are the full node's newest block and the solidified one; there is no safe one between", async () => {
    const heads = await source().heads('first');
    expect([heads.latest.height, heads.safe, heads.finalized.height]).toEqual([solid + 19, null, solid]);
    expect(node.counts().calls).not.toHaveProperty('eth_getBlockByHash');
  });

  test('the block at the cursor comes with the heads, once: both cost one request', async () => {
    const reader = source();
    await read(reader, first(height, height + 1));
    const before = node.counts().requests;
    await reader.heads('first');
    expect((await reader.blockAt(height + 1, 'first'))?.height).toBe(height + 1);
    expect(node.counts().requests).toBe(before + 1);
    await reader.blockAt(height + 1, 'first');
    expect(node.counts().requests).toBe(before + 2);
  });
});

describe('past the head (trap 15)', () => {
  test.each([
    ['to above the head, which the node cuts in silence', -1, 3],
    ['from above the head, which the node answers with nothing', 1, 3],
  ])('%s: throws', async (_title, from, to) => {
    const { number } = await headerAt(node.anvil, 'latest');
    const failure = await failureOf(read(source(), first(number + from, number + to)));
    expect(failure).toMatchObject({ kind: 'not-yet', message: /has no \d+ block/ });
  });

  test('a backend that is behind by one block: throws', async () => {
    const reader = source();
    await reader.heads('second');
    const { number } = await headerAt(node.anvil, 'latest');
    node.behave({ lagBlocks: 1, lagShare: 1 });
    expect(await failureOf(read(reader, first(number, number)))).toMatchObject({ kind: 'not-yet' });
  });

  test('the solidified view above what is solidified, an empty object and an empty list there: throws', async () => {
    for (const request of [
      second(solid, solid + 1),
      second(solid + 1, solid + 1),
      second(solid + 1, solid + 3, false),
    ]) {
      const failure = await failureOf(read(source(), request));
      expect(failure).toMatchObject({ kind: 'not-yet', message: /solidified view has no block/ });
    }
  });
});

describe('logs answered by number (traps 15, 17)', () => {
  test('a log of another block than the header at its height: throws', async () => {
    node.behave({
      rpc: (method, result) => {
        if (method !== 'eth_getLogs') return result;
        for (const log of result as { blockHash: string }[]) {
          log.blockHash = `${log.blockHash.slice(0, -1)}${log.blockHash.endsWith('0') ? '1' : '0'}`;
        }
        return result;
      },
    });
    expect(await failureOf(read(source(), first(height, height)))).toMatchObject({
      kind: 'inconsistent',
      message: `Logs and headers disagree at ${height}.`,
    });
  });

  test('solidified blocks of which one does not follow from the other: throws', async () => {
    type Blocks = { block: { block_header: { raw_data: { number: number; parentHash: string } } }[] };
    node.behave({
      wallet: (path, answer) => {
        if (!path.endsWith('getblockbylimitnext')) return answer;
        const [, next] = (answer as Blocks).block;
        if (next) next.block_header.raw_data.parentHash = 'ab'.repeat(32);
        return answer;
      },
    });
    expect(await failureOf(read(source(), second(height, height + 1)))).toMatchObject({ message: /does not follow/ });
  });
});

describe('ranges and limits', () => {
  test('exceed max block range: a range, with the one that is allowed', async () => {
    node.behave({ maxBlockRange: 4 });
    const reader = source();
    expect(await failureOf(read(reader, first(1, 6)))).toMatchObject({ kind: 'range', suggested: 4 });
    expect((await read(reader, first(1, 5))).blocks).toHaveLength(5);
  });

  test('more results than 10000, -32005: a range', async () => {
    node.behave({ maxResults: 2 });
    expect(await failureOf(read(source(), first(height - 1, height)))).toMatchObject({
      kind: 'range',
      message: /more than 2 results/,
    });
  });

  test('a range of 50 blocks is the largest: the second read asks once per block', () => {
    expect(source().maxRange).toBe(50);
  });

  test.each<[TronFault, string]>([
    ['limiter', 'rate'],
    [429, 'rate'],
    [403, 'rate'],
    [503, 'rate'],
    ['html', 'unavailable'],
    ['reset', 'unavailable'],
  ])('the answer %s counts as no answer, in either read: %s (trap 16)', async (fault, kind) => {
    const reader = source();
    await reader.heads('second');
    node.behave({ fault });
    for (const request of [first(height, height), second(height, height)]) {
      expect(await failureOf(read(reader, request))).toMatchObject({ kind });
    }
    expect(await failureOf(reader.heads('first'))).toMatchObject({ kind });
  });

  test('the next provider is asked when one does not answer, in either read', async () => {
    const down = await startTronNode();
    await down.down();
    const reader = source(down.url, node.url);
    expect((await read(reader, first(height, height))).transfers).toHaveLength(4);
    const other = source(node.url, down.url);
    expect((await read(other, second(height, height))).transfers).toHaveLength(5);
    await down.stop();
  });
});

describe('two reads', () => {
  test('by JSON-RPC and by infos show the same transfers and blocks, field by field (traps 8, 18, 19)', async () => {
    const reader = source();
    const range = [height - 2, height + 2] as const;
    const seen = await read(reader, first(...range));
    const settled = await read(reader, second(...range, false));
    expect(settled).toEqual(seen);
    const { timestamp } = await headerAt(node.anvil, height);
    expect(seen.blocks.find((block) => block.height === height)?.time).toBe(timestamp);
    const transfers = seen.transfers.filter((transfer) => transfer.to === base58(STORE));
    expect(transfers.map(({ index, units }) => [index, units])).toEqual([
      ['USDT:0', UNITS],
      ['USDT:1', 0n],
      ['USDT:2', UNITS],
    ]);
    expect(transfers[0]).toMatchObject({
      token: 'USDT',
      txId: hashes.batch.slice(2),
      from: expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
      height,
      blockHash: expect.stringMatching(new RegExp(`^${height.toString(16).padStart(16, '0')}[0-9a-f]{48}$`)),
    });
  });

  test('the second asks JSON-RPC for nothing', async () => {
    const reader = source();
    await reader.heads('second');
    const before = node.counts().calls;
    await read(reader, second(height, height + 1));
    const after = node.counts().calls;
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed.sort()).toEqual([
      '/walletsolidity/getblockbylimitnext',
      '/walletsolidity/gettransactioninfobyblocknum',
    ]);
  });

  test('heights without an index are not believed for a minute by the first read, and are whole in the second', async () => {
    node.behave({ unindexed: { from: height, to: height } });
    const clock = createManualClock(0);
    const reader = createTronSource(tron, [node.url], { monotonic: clock, ...local });
    expect(await failureOf(read(reader, first(height - 1, height)))).toMatchObject({ kind: 'not-yet' });
    expect((await read(reader, second(height, height, false))).transfers).toHaveLength(4);
    clock.advance(PATIENCE_MS);
    const doubted = await read(reader, first(height - 1, height));
    expect([doubted.quietTail, doubted.transfers.length]).toEqual([true, 4]);
  });

  test('logs without the time of their block are read all the same', async () => {
    node.behave({ timestampInLogs: false });
    expect((await read(source(), first(height, height))).transfers).toHaveLength(4);
  });

  test('milliseconds where seconds are due are refused (trap 18)', async () => {
    node.behave({
      rpc: (method, result) =>
        method === 'eth_getBlockByNumber' && result !== null
          ? { ...(result as object), timestamp: '0x19000000000' }
          : result,
    });
    expect(await failureOf(source().blockAt(height, 'first'))).toMatchObject({ message: /malformed time/ });
  });

  test('a token that is not on our list is no transfer, however it calls itself (trap 19)', async () => {
    const own = await startTronNode();
    await installCanonicalTokens(own.anvil);
    const fake = await deployLookAlike(own.anvil, USDT);
    await payToken(own.anvil, { token: fake.address, to: STORE, units: UNITS });
    const { number } = await mine(own.anvil);
    own.behave({ solidLag: 0 });
    const reader = createTronSource(tron, [own.url], { genesisHash: await genesisOf(own.url) });
    expect((await read(reader, first(number, number))).transfers).toEqual([]);
    expect((await read(reader, second(number, number))).transfers).toEqual([]);
    await own.stop();
  });
});

describe('coins', () => {
  test('only a transfer of coins is one: no token of another kind, no vote, no freeze, no contract (trap 19)', async () => {
    expect(await coinsAt(height)).toEqual([
      {
        token: 'TRX',
        txId: hashes.coin.slice(2),
        index: 'native',
        from: base58(FAUCET),
        to: base58(STORE),
        units: COIN_UNITS,
        height,
        blockHash: expect.any(String),
      },
    ]);
  });

  test('a transfer of coins that failed is none (trap 6)', async () => {
    const receipt = await node.anvil.rpc<{ blockNumber: Hex }>('eth_getTransactionReceipt', [hashes.failed]);
    expect(await coinsAt(Number(receipt.blockNumber))).toEqual([]);
  });

  test('the first read is never asked for them: JSON-RPC cannot tell them from what looks like them', async () => {
    const reader = source();
    expect(reader.nativeFrom).toBe('finalized');
    await expect(read(reader, { ...first(height, height), native: true })).rejects.toThrow('second read alone');
  });

  type Info = { id: string; result?: string };
  test.each<[string, (infos: Info[]) => Info[]]>([
    ['lack a transaction of their block', (infos) => infos.slice(1)],
    ['hold one twice in place of another', (infos) => [...infos.slice(1), ...infos.slice(1, 2)].slice(0, infos.length)],
    ['name one that is not in the block', ([one, ...rest]) => [{ ...one, id: 'ab'.repeat(32) }, ...rest]],
    [
      'say that a coin failed which its block says succeeded',
      (infos) => infos.map((info) => ({ ...info, result: 'FAILED' })),
    ],
  ])('infos that %s: throws', async (_title, change) => {
    node.behave({
      wallet: (path, answer) => (path.endsWith('infobyblocknum') ? change(answer as Info[]) : answer),
    });
    expect(await failureOf(read(source(), second(height, height)))).toMatchObject({ kind: 'inconsistent' });
  });

  type Block = { block: { blockID: string; transactions?: unknown[] }[] };
  test.each<[string, (answer: Block) => unknown]>([
    [
      'a block that lacks a transaction',
      ({ block }) => ({ block: block.map((one) => ({ ...one, transactions: one.transactions?.slice(1) })) }),
    ],
    [
      'a block without its transactions',
      ({ block }) => ({ block: block.map(({ transactions: _gone, ...one }) => one) }),
    ],
    [
      'a block whose id says another height',
      ({ block }) => ({
        block: block.map((one) => ({ ...one, blockID: `${'0'.repeat(16)}${one.blockID.slice(16)}` })),
      }),
    ],
    ['no list', () => []],
  ])('%s: throws', async (_title, change) => {
    node.behave({
      wallet: (path, answer) => (path.endsWith('limitnext') ? change(answer as Block) : answer),
    });
    expect(await failureOf(read(source(), second(height, height)))).toMatchObject({ kind: 'inconsistent' });
  });
});

describe('the endpoint', () => {
  test.each([
    ['https://api.trongrid.io', 'https://api.trongrid.io', {}],
    ['https://api.trongrid.io/', 'https://api.trongrid.io', {}],
    ['https://node.example/tron/jsonrpc', 'https://node.example/tron', {}],
    ['https://some%2Dkey@api.trongrid.io', 'https://api.trongrid.io', { 'TRON-PRO-API-KEY': 'some-key' }],
  ])('%s', (url, base, headers) => {
    expect(parseTronAddress(url)).toEqual({ base, headers });
  });

  test('a key goes into the header of every request, and into no complaint', async () => {
    const reader = source(node.url.replace('http://', 'http://some-secret-key@'));
    for (const request of [first(height, height), second(height, height)]) {
      await read(reader, request);
      expect(node.lastKey()).toBe('some-secret-key');
    }
    node.behave({ fault: 403 });
    const { message } = await failureOf(read(reader, second(height, height)));
    expect(message).not.toContain('some-secret-key');
    node.behave({ fault: null });
    await source().heads('first');
    expect(node.lastKey()).toBeUndefined();
  });
});

describe('one transaction whole', () => {
  test.each([
    ['with 0x', (text: string) => text],
    ['as explorers show it', (text: string) => text.slice(2)],
    ['in capitals', (text: string) => text.slice(2).toUpperCase()],
  ])('is found by its id %s', async (_title, form) => {
    const { number, timestamp } = await headerAt(node.anvil, height);
    expect(await inspect(hashes.batch, form)).toMatchObject({
      succeeded: true,
      height: number,
      time: timestamp,
      coin: { to: null, units: 0n },
      transfers: [
        { token: 'USDT', contract: base58(TOKEN), to: base58(STORE), units: UNITS },
        { units: 0n },
        { units: UNITS },
      ],
    });
  });

  test('shows coins where they went: to a person, or to a contract', async () => {
    const direct = { coin: { to: base58(STORE), units: COIN_UNITS }, transfers: [] };
    expect(await inspect(hashes.coin)).toEqual(expect.objectContaining(direct));
    const through = await inspect(hashes.internal);
    expect(through?.coin).toMatchObject({ units: COIN_UNITS, throughContract: true });
    expect(through?.coin.to).not.toBe(base58(STORE));
  });

  test('shows no coins in a token of another kind', async () => {
    expect(await inspect(hashes.asset)).toMatchObject({ coin: { to: null, units: 0n } });
  });

  test('passes over what another contract calls a transfer and gives no amount for', async () => {
    node.behave({
      rpc: (method, result) => {
        if (method !== 'eth_getTransactionReceipt') return result;
        const receipt = result as { logs: { data: string }[] };
        return { ...receipt, logs: [...receipt.logs.map((log) => ({ ...log, data: '0x' })), ...receipt.logs] };
      },
    });
    expect((await inspect(hashes.batch))?.transfers).toHaveLength(3);
  });

  test('says that it failed', async () => {
    expect(await inspect(hashes.failed)).toMatchObject({ succeeded: false });
  });

  test('knows nothing of what is unknown, malformed, or has a value that nothing can judge yet', async () => {
    expect(await inspect(`0x${'ab'.repeat(32)}`)).toBeNull();
    expect(await inspect('0x12')).toBeNull();
    const fresh = await payNative(node.anvil, { to: STORE, units: 5n });
    const token = await payToken(node.anvil, { token: TOKEN, to: STORE, units: 6n });
    expect(await inspect(fresh)).toBeNull();
    await mine(node.anvil);
    expect(await inspect(fresh)).toBeNull();
    expect(await inspect(token)).toMatchObject({ transfers: [{ units: 6n }] });
    node.behave({ solidLag: 0 });
    expect(await inspect(fresh)).toMatchObject({ coin: { to: base58(STORE), units: 5n } });
  });
});
