import { expect, test } from 'vitest';
import type { KnownTransfer } from './align-transfers.ts';
import { alignTransfers } from './align-transfers.ts';

/** A row as index and content; content `A5` means five units to A. */
type Row = [index: string, content: string];
const contentOf = (content: string) => ({ to: content.slice(0, 1), units: BigInt(content.slice(1)) });
const known = (rows: Row[], change: Partial<KnownTransfer> = {}): KnownTransfer[] =>
  rows.map(([index, content], place) => ({
    id: BigInt(place + 1),
    txId: 'tx',
    index,
    blockHash: 'block',
    canonical: true,
    ...contentOf(content),
    ...change,
  }));
const read = (rows: Row[], blockHash = 'block') =>
  rows.map(([index, content]) => ({ txId: 'tx', index, blockHash, ...contentOf(content) }));

test.each<[string, KnownTransfer[], ReturnType<typeof read>, string[]]>([
  ['the same again', known([['USDT:0', 'A5']]), read([['USDT:0', 'A5']]), []],
  ['nothing known', [], read([['USDT:0', 'A5']]), []],
  [
    'a transfer before it was lacking',
    known([['USDT:0', 'A5']]),
    read([
      ['USDT:0', 'X9'],
      ['USDT:1', 'A5'],
    ]),
    ['1 USDT:1'],
  ],
  [
    'several shift at once',
    known([
      ['USDT:0', 'A5'],
      ['USDT:1', 'B6'],
      ['USDT:2', 'C7'],
    ]),
    read([
      ['USDT:0', 'X9'],
      ['USDT:1', 'A5'],
      ['USDT:2', 'B6'],
      ['USDT:3', 'C7'],
    ]),
    ['1 USDT:1', '2 USDT:2', '3 USDT:3'],
  ],
  [
    'two alike keep their order',
    known([
      ['USDT:0', 'A5'],
      ['USDT:1', 'A5'],
    ]),
    read([
      ['USDT:0', 'X9'],
      ['USDT:1', 'A5'],
      ['USDT:2', 'A5'],
    ]),
    ['1 USDT:1', '2 USDT:2'],
  ],
  [
    'an answer that lacks one of two alike',
    known([
      ['USDT:0', 'A5'],
      ['USDT:1', 'A5'],
    ]),
    read([['USDT:0', 'A5']]),
    [],
  ],
  [
    'one that stands is not overwritten by another under its number',
    known([['USDT:0', 'A5']]),
    read([['USDT:0', 'B6']]),
    ['1 USDT:1'],
  ],
  ['one that left the chain is', known([['USDT:0', 'A5']], { canonical: false }), read([['USDT:0', 'B6']]), []],
  ['one of another block is', known([['USDT:0', 'A5']]), read([['USDT:0', 'B6']], 'other'), []],
  ['coins have no number', known([['native', 'A5']]), read([['native', 'B6']]), []],
  ['another token is another count', known([['USDC:0', 'A5']]), read([['USDT:0', 'B6']]), []],
])('aligning transfers with those of another read: %s', (_title, stored, shown, expected) => {
  expect(alignTransfers(stored, shown).map(({ id, index }) => `${id} ${index}`)).toEqual(expected);
});
