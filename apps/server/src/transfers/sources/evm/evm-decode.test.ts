import { describe, expect, test } from 'vitest';
import { findNetwork } from '../../../networks/network.ts';
import { decodeBlock, decodeLogs, decodeNative, tokensByContract, TRANSFER_TOPIC } from './evm-decode.ts';

const network = findNetwork('BSC');
if (!network) throw new Error('BSC is unknown.');
const tokens = tokensByContract(network);
const [USDT, USDC] = [...tokens.keys()];

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const ALICE = word(0xa11cen);
const BOB = word(0xb0bn);

function log(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    address: USDT,
    topics: [TRANSFER_TOPIC, ALICE, BOB],
    data: word(5n),
    blockNumber: '0x10',
    blockHash: '0xb10c',
    transactionHash: '0x7',
    logIndex: '0x0',
    ...change,
  };
}

describe('logs', () => {
  test('a transfer is decoded as it stands', () => {
    expect(decodeLogs([log()], tokens)).toEqual([
      {
        token: 'USDT',
        txId: '0x7',
        index: 'USDT:0',
        from: `0x${ALICE.slice(26)}`,
        to: `0x${BOB.slice(26)}`,
        units: 5n,
        height: 16,
        blockHash: '0xb10c',
      },
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['four topics: the transfer of a thing, not of an amount', { topics: [TRANSFER_TOPIC, ALICE, BOB, word(1n)] }],
    ['two topics', { topics: [TRANSFER_TOPIC, ALICE] }],
    ['another event', { topics: [word(1n), ALICE, BOB] }],
    ['short data', { data: '0x05' }],
    ['no data', { data: '0x' }],
    ['long data', { data: `${word(5n)}00` }],
    ['a contract that is not in the list', { address: `0x${'9'.repeat(40)}` }],
  ])('%s is nobody’s payment', (_title, change) => {
    expect(decodeLogs([log(change)], tokens)).toEqual([]);
  });

  test('a contract is known however its address is written', () => {
    expect(decodeLogs([log({ address: `0x${USDT?.slice(2).toUpperCase()}` })], tokens)).toHaveLength(1);
  });

  test('transfers are numbered per token and transaction, in the order of the chain', () => {
    const logs = [
      log({ logIndex: '0xa' }),
      log({ logIndex: '0x2' }),
      log({ logIndex: '0x3', address: USDC }),
      log({ logIndex: '0x4', transactionHash: '0x8' }),
      log({ logIndex: '0x5', topics: [TRANSFER_TOPIC, ALICE, BOB, ALICE] }),
      log({ blockNumber: '0xf', logIndex: '0xff', transactionHash: '0x6' }),
    ];
    expect(decodeLogs(logs, tokens).map(({ txId, index }) => `${txId} ${index}`)).toEqual([
      '0x6 USDT:0',
      '0x7 USDT:0',
      '0x7 USDC:0',
      '0x8 USDT:0',
      '0x7 USDT:1',
    ]);
  });

  test.each<[string, unknown]>([
    ['no list', { logs: [] }],
    ['nothing', null],
    ['a list of nothing', [null]],
    ['a log without topics', [log({ topics: undefined })]],
    ['a log without a block', [log({ blockNumber: null })]],
    ['a log whose height is no number', [log({ blockNumber: 'latest' })]],
    ['a log whose amount is no number', [log({ data: `0x${'z'.repeat(64)}` })]],
  ])('%s is refused, and never looks empty', (_title, raw) => {
    expect(() => decodeLogs(raw, tokens)).toThrow('The provider answered');
  });
});

describe('blocks', () => {
  test('a header is decoded, a missing one is null, a malformed one is refused', () => {
    const raw = { number: '0x10', hash: '0xb', parentHash: '0xa', timestamp: '0x64' };
    expect(decodeBlock(raw)).toEqual({ height: 16, hash: '0xb', parentHash: '0xa', time: 100 });
    expect(decodeBlock(null)).toBeNull();
    expect(() => decodeBlock({ ...raw, hash: null })).toThrow('malformed block');
  });

  test('coins that a transaction carries are transfers; new contracts and nothing are not', () => {
    const coin = network.tokens.find((token) => token.contract === null);
    if (!coin) throw new Error('BSC has no coin.');
    const block = { height: 16, hash: '0xb', parentHash: '0xa', time: 100 };
    const transactions = [
      { hash: '0x1', from: '0xA', to: '0xB', value: '0x5' },
      { hash: '0x2', from: '0xA', to: null, value: '0x5' },
      { hash: '0x3', from: '0xA', to: '0xB', value: '0x0' },
    ];
    expect(decodeNative({ transactions }, block, coin)).toEqual([
      { token: 'BNB', txId: '0x1', index: 'native', from: '0xa', to: '0xb', units: 5n, height: 16, blockHash: '0xb' },
    ]);
  });
});
