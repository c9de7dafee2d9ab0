import { describe, expect, test } from 'vitest';
import { findNetwork } from '../../../rig/chains/networks.ts';
import { SourceError } from '../chain-source.ts';
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
    expect(decodeLogs([log()], tokens).transfers).toEqual([
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
    expect(decodeLogs([log(change)], tokens).transfers).toEqual([]);
  });

  test('a contract is known however its address is written', () => {
    expect(decodeLogs([log({ address: `0x${USDT?.slice(2).toUpperCase()}` })], tokens).transfers).toHaveLength(1);
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
    expect(decodeLogs(logs, tokens).transfers.map(({ txId, index }) => `${txId} ${index}`)).toEqual([
      '0x6 USDT:0',
      '0x7 USDT:0',
      '0x7 USDC:0',
      '0x8 USDT:0',
      '0x7 USDT:1',
    ]);
  });

  test('the second copy of a log is dropped and counted', () => {
    const other = log({ logIndex: '0x1', data: word(6n) });
    const { transfers, duplicates } = decodeLogs([log(), other, log(), other, log()], tokens);
    expect(transfers.map(({ index, units }) => `${index} ${units}`)).toEqual(['USDT:0 5', 'USDT:1 6']);
    expect(duplicates).toBe(3);
  });

  test.each<[string, Record<string, unknown>]>([
    ['another amount', { data: word(6n) }],
    ['another receiver', { topics: [TRANSFER_TOPIC, ALICE, ALICE] }],
    ['another token', { address: USDC }],
    ['another transaction', { transactionHash: '0x8' }],
    ['another place in its block', { logIndex: '0x1' }],
  ])('a log with the same number and %s is no copy', (_title, change) => {
    const { transfers, duplicates } = decodeLogs([log(), log(change)], tokens);
    expect(transfers).toHaveLength(2);
    expect(duplicates).toBe(0);
  });

  test('a log that is listed in two blocks is refused', () => {
    expect(() => decodeLogs([log(), log({ blockHash: '0xb10d' })], tokens)).toThrow('in two blocks');
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

  test('the value of a transaction is a transfer of coins, unless it is zero or creates a contract', () => {
    const coin = network.tokens.find((token) => token.contract === null);
    if (!coin) throw new Error('BSC has no coin.');
    const block = { height: 16, hash: '0xb', parentHash: '0xa', time: 100 };
    const transactions = [
      { hash: '0x1', from: '0xA', to: '0xB', value: '0x5' },
      { hash: '0x2', from: '0xA', to: null, value: '0x5' },
      { hash: '0x3', from: '0xA', to: '0xB', value: '0x0' },
    ];
    expect(decodeNative({ transactions }, block, coin).transfers).toEqual([
      { token: 'BNB', txId: '0x1', index: 'native', from: '0xa', to: '0xb', units: 5n, height: 16, blockHash: '0xb' },
    ]);
  });
});

const address = (digits: string) => `0x${digits.padStart(40, '0')}`;

describe('kinds of transactions', () => {
  const coin = network.tokens.find((token) => token.contract === null);
  if (!coin) throw new Error('BSC has no coin.');
  const block = { height: 16, hash: '0xb', parentHash: '0xa', time: 100 };
  const read = (transaction: unknown) => decodeNative({ transactions: [transaction] }, block, coin);
  const plain = { hash: '0x1', from: address('a'), to: address('b'), value: '0x5' };

  test.each<[string, Record<string, unknown>, bigint]>([
    [
      '0x7e, what the chain below deposits',
      { type: '0x7e', sourceHash: '0x5', mint: '0x5', from: address('a'), to: address('b'), value: '0x5', gas: '0x1' },
      5n,
    ],
    [
      '0x7e, what opens every block',
      { type: '0x7e', sourceHash: '0x5', from: address('dead'), to: address('4215'), value: '0x0', isSystemTx: false },
      0n,
    ],
    ['0x7f, a state sync', { type: '0x7f', from: address('0'), to: address('0'), value: '0x0', gas: '0x0' }, 0n],
    [
      '0x64, a deposit from the chain below',
      { type: '0x64', requestId: '0x1', from: address('a'), to: address('b'), value: '0x7' },
      7n,
    ],
    [
      '0x68, a ticket that is redeemed',
      { type: '0x68', ticketId: '0x1', maxRefund: '0x1', from: address('a'), to: address('b'), value: '0x9' },
      9n,
    ],
    ['0x6a, what opens every block', { type: '0x6a', from: address('a4b05'), to: address('a4b05'), value: '0x0' }, 0n],
    ['0x4, with authorisations', { type: '0x4', ...plain, authorizationList: [{}] }, 5n],
    ['a new contract', { type: '0x2', from: address('a'), to: null, value: '0x5' }, 0n],
  ])('%s', (_title, transaction, units) => {
    const { transfers, unknownShapes } = read({ hash: '0x1', ...transaction });
    expect(transfers.reduce((sum, transfer) => sum + transfer.units, 0n)).toBe(units);
    expect(unknownShapes).toBe(0);
  });

  test.each<[string, Record<string, unknown>]>([
    ['no value and no receiver, but a list of calls', { type: '0x79', hash: '0x1', from: address('a'), calls: [[]] }],
    ['no value', { hash: '0x1', from: address('a'), to: address('b') }],
    ['a value of nothing', { hash: '0x1', from: address('a'), to: address('b'), value: null }],
    ['no receiver', { hash: '0x1', from: address('a'), value: '0x5' }],
    ['no sender either', { hash: '0x1' }],
  ])('a transaction with %s moves no coins by itself, and is counted', (_title, transaction) => {
    expect(read(transaction)).toEqual({ transfers: [], unknownShapes: 1 });
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['an id where the whole was asked for', '0x1'],
    ['one without an id', { ...plain, hash: undefined }],
    ['one whose value is no number', { ...plain, value: 'five' }],
    ['one whose value is a number of JSON', { ...plain, value: 5 }],
    ['one whose value is empty', { ...plain, value: '0x' }],
    ['one whose receiver is no address', { ...plain, to: {} }],
    ['one that moves coins of nobody', { ...plain, from: undefined }],
  ])('%s is refused with an error of the source', (_title, transaction) => {
    expect(() => read(transaction)).toThrow(SourceError);
    expect(() => read(transaction)).toThrow('malformed transaction');
  });

  test('a block without a list of transactions is refused, and never looks empty', () => {
    expect(() => decodeNative({}, block, coin)).toThrow('malformed transaction');
  });
});
