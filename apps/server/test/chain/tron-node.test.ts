import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callRpc, callRpcBatch, RpcError } from '../../rig/chains/json-rpc.ts';
import { payNative, payRevertingNative, payToken } from '../../rig/chains/evm/payment.ts';
import { headerAt, mine, reorg } from '../../rig/chains/evm/reorg.ts';
import { FAUCET } from '../../rig/chains/evm/sender.ts';
import { canonicalToken, installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import type { LookAlike } from '../../rig/chains/tron/block.ts';
import { TRON_CHAIN_ID, zeros } from '../../rig/chains/tron/block.ts';
import type { TronNode } from '../../rig/chains/tron/node.ts';
import { LIMITER_ANSWER, startTronNode, TRON_DEFAULTS } from '../../rig/chains/tron/node.ts';
import { poseAsCoin } from '../../rig/chains/tron/payment.ts';

/** Each test is one row of java-tron's dialect, as read in its source: no live node can be asked from here. */

const TOKEN = canonicalToken(TRON_CHAIN_ID, 'USDT').address;
const STORE: Address = '0x00000000000000000000000000000000000000aa';
const CHAIN_ID = '0x2b6653dc';
const LOOK_ALIKES: LookAlike[] = ['TransferAssetContract', 'VoteWitnessContract', 'FreezeBalanceContract'];
const TRANSFER_UNITS = 12_345_678n;
const COIN_UNITS = 1_500_000n;
const POSED_UNITS = 999_000_000n;

let node: TronNode;
/** Block with a token transfer, a coin transfer, and one of each kind that only looks like one. */
let height: number;
let hashes: { token: Hex; coin: Hex; posed: Hex[] };

beforeAll(async () => {
  node = await startTronNode();
  await installCanonicalTokens(node.anvil);
  const token = await payToken(node.anvil, { token: TOKEN, to: STORE, units: TRANSFER_UNITS });
  const coin = await payNative(node.anvil, { to: STORE, units: COIN_UNITS });
  const posed: Hex[] = [];
  for (const kind of LOOK_ALIKES) posed.push(await poseAsCoin(node.anvil, kind, { to: STORE, units: POSED_UNITS }));
  height = (await mine(node.anvil)).number;
  hashes = { token, coin, posed };
  await mine(node.anvil, 30, { secondsBetween: 3 });
});
afterAll(() => node.stop());
beforeEach(() => node.behave(TRON_DEFAULTS));

const hex = (value: number): Hex => `0x${value.toString(16)}`;
const ask = <Result>(method: string, params: unknown[] = [], path = '/jsonrpc') =>
  callRpc<Result>(`${node.url}${path}`, { method, params });
const error = async (method: string, params: unknown[], path = '/jsonrpc') =>
  ask(method, params, path).then(
    () => undefined,
    (cause: unknown) => (cause instanceof RpcError ? [cause.code, cause.message] : String(cause)),
  );
const head = async () => (await headerAt(node.anvil, 'latest')).number;

async function post<Body>(path: string, body: unknown = {}): Promise<Body> {
  const response = await fetch(`${node.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as Body;
}

type BlockAnswer = {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  transactions: { hash: Hex; to: Hex; value: Hex; input: Hex; type: Hex; nonce: Hex }[];
} & Record<string, unknown>;
const numberAt = async (tag: string) => Number((await ask<BlockAnswer>('eth_getBlockByNumber', [tag, false])).number);
const missing = (method: string) => [-32601, `the method ${method} does not exist/is not available`];
type LogAnswer = Record<string, unknown> & { blockHash: Hex };

describe('dialect: identity', () => {
  test('dialect: eth_chainId and net_version are the last four bytes of the first block, both in hex', async () => {
    expect(await ask('eth_chainId')).toBe(CHAIN_ID);
    expect(await ask('net_version')).toBe(CHAIN_ID);
    const first = await ask<BlockAnswer>('eth_getBlockByNumber', ['earliest', false]);
    expect(`0x${first.hash.slice(-8)}`).toBe(CHAIN_ID);
  });

  test.each(['eth_sendRawTransaction', 'eth_getTransactionCount', 'eth_sign', 'eth_sendTransaction'])(
    'dialect: %s is not available, -32601',
    async (method) => {
      expect(await error(method, [])).toEqual(missing(method));
    },
  );

  test('dialect: the status is 200 also for errors, and their data is "{}"', async () => {
    const response = await fetch(`${node.url}/jsonrpc`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'eth_sign', params: [] }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 9, error: { code: -32601, data: '{}' } });
  });

  test('dialect: batches are arrays of calls', async () => {
    const calls = [{ method: 'eth_chainId' }, { method: 'eth_blockNumber' }];
    expect(await callRpcBatch(`${node.url}/jsonrpc`, calls)).toEqual([CHAIN_ID, hex(await head())]);
  });

  test('dialect: the limiter answers 200 and something that is not JSON-RPC, on every path', async () => {
    node.behave({ fault: 'limiter' });
    for (const path of ['/jsonrpc', '/walletsolidity/getnowblock']) {
      const response = await fetch(`${node.url}${path}`, { method: 'POST', body: '[]' });
      expect([response.status, await response.json()]).toEqual([200, LIMITER_ANSWER]);
    }
  });

  test.each([429, 403, 503] as const)('dialect: above its quota the gateway answers %i', async (fault) => {
    node.behave({ fault });
    expect((await fetch(`${node.url}/jsonrpc`, { method: 'POST', body: '[]' })).status).toBe(fault);
  });
});

describe('dialect: tags', () => {
  test('dialect: latest, earliest and finalized name blocks; finalized is what is solidified', async () => {
    expect(await numberAt('latest')).toBe(await head());
    expect(await numberAt('earliest')).toBe(0);
    expect(await numberAt('finalized')).toBe((await head()) - 19);
  });

  test('dialect: a block is named in hex or in decimals', async () => {
    for (const text of [hex(height), String(height)]) {
      expect(await ask('eth_getBlockByNumber', [text, false])).toMatchObject({ number: hex(height) });
    }
  });

  test('dialect: an unknown height is null', async () => {
    expect(await ask('eth_getBlockByNumber', [hex(1_000_000), false])).toBeNull();
  });

  test.each([
    ['pending', 'TAG pending not supported'],
    ['safe', 'invalid block number'],
    ['newest', 'invalid block number'],
  ])('dialect: getBlockByNumber refuses %s', async (tag, message) => {
    expect(await error('eth_getBlockByNumber', [tag, false])).toEqual([-32602, message]);
  });

  test.each([
    ['pending', 'TAG pending not supported'],
    ['safe', 'Incorrect hex syntax'],
    ['12', 'Incorrect hex syntax'],
  ])('dialect: getLogs refuses %s', async (tag, message) => {
    expect(await error('eth_getLogs', [{ fromBlock: tag }])).toEqual([-32602, message]);
  });

  test('dialect: getLogs knows finalized, newFilter refuses it', async () => {
    expect(await ask('eth_getLogs', [{ fromBlock: hex(height), toBlock: 'finalized' }])).toHaveLength(1);
    expect(await error('eth_newFilter', [{ fromBlock: 'finalized' }])).toEqual([-32602, 'invalid block range params']);
  });

  test.each([
    ['earliest', 'TAG [earliest | pending | finalized] not supported'],
    ['pending', 'TAG [earliest | pending | finalized] not supported'],
    ['finalized', 'TAG [earliest | pending | finalized] not supported'],
    ['0x1', 'QUANTITY not supported, just support TAG as latest'],
  ])('dialect: state is known at latest only, not at %s', async (tag, message) => {
    expect(await error('eth_call', [{ to: TOKEN, data: '0x313ce567' }, tag])).toEqual([-32602, message]);
    for (const method of ['eth_getBalance', 'eth_getCode']) {
      expect(await error(method, [TOKEN, tag])).toEqual([-32602, message]);
    }
    expect(await error('eth_getStorageAt', [TOKEN, '0x0', tag])).toEqual([-32602, message]);
  });

  test('dialect: at the solidity port latest and eth_blockNumber mean what is solidified', async () => {
    const solid = (await head()) - 19;
    const path = '/solidity/jsonrpc';
    expect(await ask('eth_blockNumber', [], path)).toBe(hex(solid));
    expect(await ask('eth_getBlockByNumber', ['latest', false], path)).toMatchObject({ number: hex(solid) });
    expect(await ask('eth_getBlockByNumber', [hex(solid + 1), false], path)).toBeNull();
  });

  test('dialect: the PBFT port has neither logs nor filters', async () => {
    for (const method of ['eth_getLogs', 'eth_newFilter'])
      expect(await error(method, [{}], '/pbft/jsonrpc')).toEqual(missing(method));
  });
});

describe('dialect: limits of getLogs', () => {
  test('dialect: a range of 5001 blocks passes, one of 5002 does not', async () => {
    node.behave({ maxBlockRange: 10 });
    expect(await ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0xb' }])).toBeInstanceOf(Array);
    const refused = await error('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0xc' }]);
    expect(refused).toEqual([-32602, 'exceed max block range: 10']);
    expect(TRON_DEFAULTS.maxBlockRange).toBe(5_000);
  });

  test('dialect: the range is counted up to the head, not up to what is asked', async () => {
    node.behave({ maxBlockRange: 10 });
    const from = hex((await head()) - 10);
    expect(await ask('eth_getLogs', [{ fromBlock: from, toBlock: '0xffffff' }])).toBeInstanceOf(Array);
  });

  test('dialect: more logs than the limit, or as many blocks with logs, are -32005', async () => {
    const filter = [{ fromBlock: '0x1', toBlock: hex(height) }];
    const count = (await ask<unknown[]>('eth_getLogs', filter)).length;
    node.behave({ maxResults: count });
    expect(await ask('eth_getLogs', filter)).toHaveLength(count);
    node.behave({ maxResults: count - 1 });
    expect(await error('eth_getLogs', filter)).toEqual([-32005, `query returned more than ${count - 1} results`]);
    node.behave({ maxResults: 1 });
    const single = [{ fromBlock: hex(height), toBlock: hex(height) }];
    expect(await error('eth_getLogs', single)).toEqual([-32005, 'query returned more than 1 results']);
    expect(TRON_DEFAULTS.maxResults).toBe(10_000);
  });

  test('dialect: at most four topics, and 1000 in one list', async () => {
    const topic = `0x${'00'.repeat(32)}`;
    const many = (count: number) => Array.from({ length: count }, () => topic);
    expect(await error('eth_getLogs', [{ topics: many(5) }])).toEqual([-32602, 'topics size should be <= 4']);
    expect(await error('eth_getLogs', [{ topics: [many(1_001)] }])).toEqual([-32602, 'exceed max topics: 1000']);
    expect(await ask('eth_getLogs', [{ topics: [many(1_000)] }])).toEqual([]);
  });

  test('dialect: from above to is refused', async () => {
    const refused = await error('eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x1' }]);
    expect(refused).toEqual([-32602, 'please verify: fromBlock <= toBlock']);
  });

  test('dialect: a range above the head is empty without an error, and a range that ends there is cut', async () => {
    expect(await ask('eth_getLogs', [{ fromBlock: '0xfffff0', toBlock: '0xffffff' }])).toEqual([]);
    expect(await ask('eth_getLogs', [{ fromBlock: hex(height), toBlock: '0xffffff' }])).toHaveLength(1);
  });

  test('dialect: heights processed without an index are empty for ever, though their logs exist', async () => {
    node.behave({ unindexed: { from: height, to: height } });
    expect(await ask('eth_getLogs', [{ fromBlock: hex(height), toBlock: hex(height) }])).toEqual([]);
    const infos = await post<{ log?: unknown[] }[]>('/walletsolidity/gettransactioninfobyblocknum', { num: height });
    expect(infos.flatMap(({ log }) => log ?? [])).toHaveLength(1);
  });
});

describe('dialect: filters', () => {
  test('dialect: a block hash is mapped to its number; an unknown one is refused, and so are bounds beside it', async () => {
    const { hash } = await ask<BlockAnswer>('eth_getBlockByNumber', [hex(height), false]);
    expect(await ask('eth_getLogs', [{ blockHash: hash }])).toMatchObject([{ blockHash: hash }]);
    const unknown = `${hash.slice(0, -1)}${hash.endsWith('0') ? '1' : '0'}`;
    expect(await error('eth_getLogs', [{ blockHash: unknown }])).toEqual([-32602, 'invalid blockHash']);
    expect(await error('eth_getLogs', [{ blockHash: hash, fromBlock: '0x1' }])).toEqual([
      -32602,
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    ]);
  });

  test('dialect: a filter takes 20 bytes, with or without 0x', async () => {
    const range = { fromBlock: hex(height), toBlock: hex(height) };
    for (const address of [TOKEN, TOKEN.slice(2), [TOKEN], [TOKEN.slice(2).toUpperCase()]]) {
      expect(await ask('eth_getLogs', [{ ...range, address }])).toHaveLength(1);
    }
  });

  test('dialect: a filter refuses 21 bytes, base58 and what is no text', async () => {
    const prefixed = `41${TOKEN.slice(2)}`;
    const base58 = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    expect(await error('eth_getLogs', [{ address: prefixed }])).toEqual([-32602, `invalid address: ${prefixed}`]);
    expect(await error('eth_getLogs', [{ address: base58 }])).toEqual([-32602, `invalid address: ${base58}`]);
    expect(await error('eth_getLogs', [{ address: [TOKEN, prefixed] }])).toEqual([
      -32602,
      `invalid address at index 1: ${prefixed}`,
    ]);
    expect(await error('eth_getLogs', [{ address: 7 }])).toEqual([-32602, 'invalid addresses in query']);
  });

  test('dialect: eth_call and getBalance take 20 bytes or 21 with their prefix', async () => {
    for (const to of [TOKEN, `0x41${TOKEN.slice(2)}`, `41${TOKEN.slice(2)}`]) {
      expect(Number(await ask('eth_call', [{ to, data: '0x313ce567' }, 'latest']))).toBe(6);
      expect(await ask('eth_getBalance', [to, 'latest'])).toBe('0x0');
    }
  });
});

describe('dialect: fields', () => {
  test('dialect: the fields of a block', async () => {
    const block = await ask<BlockAnswer>('eth_getBlockByNumber', [hex(height), false]);
    const before = await ask<BlockAnswer>('eth_getBlockByNumber', [hex(height - 1), false]);
    expect(block.hash.slice(2, 18)).toBe(height.toString(16).padStart(16, '0'));
    expect(block.hash).toHaveLength(66);
    expect(block.parentHash).toBe(before.hash);
    expect(block).toMatchObject({
      logsBloom: zeros(256),
      receiptsRoot: zeros(32),
      sha3Uncles: zeros(32),
      mixHash: zeros(32),
      nonce: zeros(8),
      stateRoot: '0x',
      difficulty: '0x0',
      totalDifficulty: '0x0',
      baseFeePerGas: '0x0',
      uncles: [],
      gasLimit: hex(5 * 10_000_000),
    });
    expect(Number(block.timestamp)).toBe((await headerAt(node.anvil, height)).timestamp);
  });

  test('dialect: hashes and parents stay linked through a reorg, and change with it', async () => {
    const own = await startTronNode();
    try {
      await mine(own.anvil, 5, { secondsBetween: 3 });
      const read = (at: number) =>
        callRpc<BlockAnswer>(`${own.url}/jsonrpc`, { method: 'eth_getBlockByNumber', params: [hex(at), false] });
      const before = await read(5);
      await reorg(own.anvil, 2, [], { secondsBetween: 3 });
      const after = await read(5);
      expect(after.hash).not.toBe(before.hash);
      expect(after.parentHash).toBe((await read(4)).hash);
      expect((await read(4)).parentHash).toBe((await read(3)).hash);
    } finally {
      await own.stop();
    }
  });

  test('dialect: the fields of a log', async () => {
    const { hash, timestamp } = await ask<BlockAnswer>('eth_getBlockByNumber', [hex(height), false]);
    const filter = [{ fromBlock: hex(height), toBlock: hex(height) }];
    const [log] = await ask<LogAnswer[]>('eth_getLogs', filter);
    expect(log).toEqual({
      address: TOKEN.toLowerCase(),
      blockHash: hash,
      blockNumber: hex(height),
      blockTimestamp: timestamp,
      data: `0x${TRANSFER_UNITS.toString(16).padStart(64, '0')}`,
      logIndex: '0x0',
      removed: false,
      topics: [
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        `0x${FAUCET.slice(2).toLowerCase().padStart(64, '0')}`,
        `0x${STORE.slice(2).padStart(64, '0')}`,
      ],
      transactionHash: hashes.token,
      transactionIndex: '0x0',
    });
    node.behave({ timestampInLogs: false });
    expect((await ask<LogAnswer[]>('eth_getLogs', filter))[0]).not.toHaveProperty('blockTimestamp');
  });

  test('dialect: a transaction has type 0x0, a nonce of zeros and addresses without their prefix', async () => {
    expect(await ask('eth_getTransactionByHash', [hashes.coin])).toMatchObject({
      type: '0x0',
      nonce: '0x0000000000000000',
      from: FAUCET.toLowerCase(),
      to: STORE,
    });
  });

  test('dialect: a receipt says whether it succeeded and has an empty bloom; a block has all of its receipts', async () => {
    const receipt = { status: '0x1', logsBloom: `0x${'00'.repeat(256)}`, type: '0x0' };
    expect(await ask('eth_getTransactionReceipt', [hashes.token])).toMatchObject(receipt);
    expect(await ask('eth_getBlockReceipts', [hex(height)])).toHaveLength(5);
    expect(await ask('eth_getBlockReceipts', ['0x0'])).toBeNull();
  });

  test('dialect: in JSON-RPC coins, tokens of another kind, votes and freezes look the same', async () => {
    const { transactions } = await ask<BlockAnswer>('eth_getBlockByNumber', [hex(height), true]);
    const ofStore = transactions.filter(({ to }) => to === STORE);
    expect(ofStore.map(({ value, input, type }) => [BigInt(value), input, type])).toEqual([
      [COIN_UNITS, '0x', '0x0'],
      ...LOOK_ALIKES.map(() => [POSED_UNITS, '0x', '0x0']),
    ]);
    for (const hash of hashes.posed)
      expect(await ask('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  });
});

type WalletTransaction = {
  txID: string;
  ret: { contractRet: string }[];
  raw_data: { contract: { type: string; parameter: { value: Record<string, unknown> } }[] };
};
type WalletBlock = {
  blockID: string;
  block_header: { raw_data: { number: number; timestamp: number; parentHash: string } };
  transactions?: WalletTransaction[];
};

type WalletBlocks = { block?: WalletBlock[] };
const readBlock = (num: number) => post<WalletBlock>('/walletsolidity/getblockbynum', { num });
const readBlocks = (startNum: number, endNum: number) =>
  post<WalletBlocks>('/walletsolidity/getblockbylimitnext', { startNum, endNum });
const numbersOf = ({ block = [] }: WalletBlocks) => block.map((one) => one.block_header.raw_data.number);

describe('dialect: the solidified view over HTTP', () => {
  test('dialect: getblockbynum tells the kinds apart, with amounts in sun and addresses with their prefix', async () => {
    const { transactions = [] } = await readBlock(height);
    expect(transactions.map(({ raw_data }) => raw_data.contract[0]?.type)).toEqual([
      'TriggerSmartContract',
      'TransferContract',
      ...LOOK_ALIKES,
    ]);
    expect(transactions[1]).toMatchObject({
      txID: hashes.coin.slice(2),
      ret: [{ contractRet: 'SUCCESS' }],
      raw_data: {
        contract: [
          {
            parameter: {
              value: {
                amount: Number(COIN_UNITS),
                owner_address: `41${FAUCET.slice(2).toLowerCase()}`,
                to_address: `41${STORE.slice(2)}`,
              },
            },
          },
        ],
      },
    });
  });

  test('dialect: its ids are the hashes of JSON-RPC without 0x, its times are milliseconds', async () => {
    const block = await ask<BlockAnswer>('eth_getBlockByNumber', [hex(height), false]);
    expect(await readBlock(height)).toMatchObject({
      blockID: block.hash.slice(2),
      block_header: {
        raw_data: {
          number: height,
          parentHash: block.parentHash.slice(2),
          timestamp: Number(block.timestamp) * 1000,
        },
      },
    });
  });

  test('dialect: getnowblock is the solidified head; above it there is an empty object or an empty list', async () => {
    const solid = (await head()) - 19;
    const now = await post<WalletBlock>('/walletsolidity/getnowblock');
    expect(now.block_header.raw_data.number).toBe(solid);
    expect(await readBlock(solid + 1)).toEqual({});
    expect(await post('/walletsolidity/gettransactioninfobyblocknum', { num: solid + 1 })).toEqual([]);
    node.behave({ solidLag: 3 });
    expect((await readBlock(solid + 1)).block_header.raw_data.number).toBe(solid + 1);
  });

  test('dialect: an empty block has no list of transactions', async () => {
    expect(await readBlock(height + 1)).not.toHaveProperty('transactions');
    expect(await post('/walletsolidity/gettransactioninfobyblocknum', { num: height + 1 })).toEqual([]);
  });

  test('dialect: getblockbylimitnext answers at most 100 blocks, without its end, and leaves out what is not there', async () => {
    const solid = (await head()) - 19;
    expect(numbersOf(await readBlocks(height, height + 2))).toEqual([height, height + 1]);
    expect(numbersOf(await readBlocks(solid, solid + 5))).toEqual([solid]);
    expect(await readBlocks(solid + 1, solid + 5)).toEqual({});
    expect(await readBlocks(1, 102)).toEqual({});
    expect(await readBlocks(2, 2)).toEqual({});
  });

  test('dialect: gettransactioninfobyblocknum has every transaction, and logs without 0x and 41', async () => {
    type Info = { id: string; blockNumber: number; blockTimeStamp: number; log?: unknown[] };
    const infos = await post<Info[]>('/walletsolidity/gettransactioninfobyblocknum', { num: height });
    expect(infos.map(({ id }) => `0x${id}`)).toEqual([hashes.token, hashes.coin, ...hashes.posed]);
    const { timestamp } = await headerAt(node.anvil, height);
    expect(infos[0]).toMatchObject({
      blockNumber: height,
      blockTimeStamp: timestamp * 1000,
      receipt: { result: 'SUCCESS' },
      log: [
        {
          address: TOKEN.slice(2).toLowerCase(),
          topics: [expect.stringMatching(/^ddf252ad/), expect.any(String), STORE.slice(2).padStart(64, '0')],
          data: TRANSFER_UNITS.toString(16).padStart(64, '0'),
        },
      ],
    });
  });

  test('dialect: what failed is listed with its amount and says so', async () => {
    const hash = await payRevertingNative(node.anvil, { to: STORE, units: 7n });
    node.behave({ solidLag: 0 });
    const num = await head();
    const { transactions } = await readBlock(num);
    expect(transactions).toMatchObject([{ txID: hash.slice(2), ret: [{ contractRet: 'REVERT' }] }]);
    const infos = await post('/walletsolidity/gettransactioninfobyblocknum', { num });
    expect(infos).toMatchObject([{ result: 'FAILED', receipt: { result: 'REVERT' } }]);
  });
});

test('a backend that is behind is behind in all that it answers', async () => {
  node.behave({ lagBlocks: 5, lagShare: 1 });
  const newest = await head();
  expect(await ask('eth_blockNumber')).toBe(hex(newest - 5));
  expect(await ask('eth_getBlockByNumber', [hex(newest - 4), false])).toBeNull();
  const now = await post<WalletBlock>('/walletsolidity/getnowblock');
  expect(now.block_header.raw_data.number).toBe(newest - 5 - 19);
  expect(node.staleAnswers()).toBeGreaterThan(0);
});
