import { describe, expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { compareReads, decideDifferences, findUnstored, receiptKey } from './compare-reads.ts';

const network = findNetwork('BSC');
if (!network) throw new Error('BSC is unknown.');

const transfer = (number: number, change: Partial<StoredTransfer> = {}): StoredTransfer => ({
  token: 'USDT',
  txId: '0x9',
  index: `USDT:${number}`,
  from: '0xbb',
  to: '0xaa',
  units: 5n,
  height: 1,
  blockHash: '0x1',
  blockTime: 1,
  ...change,
});

const numbers = (transfers: readonly StoredTransfer[]) => transfers.map(({ index }) => index);

describe('two reads of one range', () => {
  test.each<[string, StoredTransfer[], StoredTransfer[], string[], string[]]>([
    ['agree whatever the numbers', [transfer(0)], [transfer(3)], [], []],
    [
      'agree where two contents have changed their numbers',
      [transfer(0), transfer(2, { units: 6n })],
      [transfer(0, { units: 6n }), transfer(1)],
      [],
      [],
    ],
    [
      'differ where the first shows one more of the same content',
      [transfer(0), transfer(1)],
      [transfer(0)],
      ['USDT:1'],
      [],
    ],
    ['differ where the second shows one more', [transfer(0)], [transfer(0), transfer(1)], [], ['USDT:1']],
    ['differ in amounts', [transfer(0)], [transfer(0, { units: 6n })], ['USDT:0'], ['USDT:0']],
    ['differ in blocks', [transfer(0)], [transfer(0, { blockHash: '0x2' })], ['USDT:0'], ['USDT:0']],
  ])('%s', (_title, first, second, onlyFirst, onlySecond) => {
    const differences = compareReads(first, second);
    expect(numbers(differences.onlyFirst)).toEqual(onlyFirst);
    expect(numbers(differences.onlySecond)).toEqual(onlySecond);
  });
});

describe('of the transfers that a read shows', () => {
  const other = transfer(0, { txId: '0x8' });
  test.each<[string, StoredTransfer[], StoredTransfer[], StoredTransfer[], StoredTransfer[]]>([
    ['none is recorded that is stored as read', [transfer(0), other], [transfer(0)], [], []],
    [
      'a new one is recorded with its whole transaction',
      [transfer(0), other],
      [transfer(0), transfer(1), other],
      [transfer(1)],
      [transfer(0), transfer(1)],
    ],
    ['one with another number is recorded', [transfer(0)], [transfer(1)], [transfer(1)], [transfer(1)]],
    [
      'one in another block is recorded',
      [transfer(0, { blockHash: '0x2' })],
      [transfer(0)],
      [transfer(0)],
      [transfer(0)],
    ],
    ['one of another amount is recorded', [transfer(0, { units: 6n })], [transfer(0)], [transfer(0)], [transfer(0)]],
    ['one to another address is recorded', [transfer(0, { to: '0xac' })], [transfer(0)], [transfer(0)], [transfer(0)]],
  ])('%s', (_title, stored, watched, unlike, together) => {
    expect(findUnstored(stored, watched)).toEqual({ new: unlike, together });
  });
});

test('a receipt that lists a transfer once denies the second copy that either read shows', () => {
  const receipt: ChainReceipt = { txId: '0x9', height: 1, blockHash: '0x1', succeeded: true, transfers: [transfer(0)] };
  const receipts = new Map([[receiptKey(transfer(0)), receipt]]);
  const sides = { onlyFirst: receipts, onlySecond: receipts };
  const copy = transfer(1);
  const stored = { ...copy, alikeBefore: 1 };
  const first = decideDifferences(network, [transfer(0)], { onlyFirst: [stored], onlySecond: [] }, sides, []);
  expect(first).toMatchObject({ contradicted: [stored], unknown: [] });
  const watched = [transfer(0), copy];
  const second = decideDifferences(network, watched, { onlyFirst: [], onlySecond: [copy] }, sides, []);
  expect(second).toMatchObject({ watched: [transfer(0)], dropped: [{ index: 'USDT:1', alikeBefore: 1 }] });
});
