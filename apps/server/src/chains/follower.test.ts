import { expect, test } from 'vitest';
import type { FinalityRule } from '../networks/finality.ts';
import type { Heads } from '../sources/chain-source.ts';
import { grownRange, settledHeight, shrunkRange } from './follower.ts';

const block = (height: number) => ({ height, hash: `0x${height}`, parentHash: `0x${height - 1}`, time: height });
const heads: Heads = { latest: block(100), safe: block(90), finalized: block(80), by: 'node' };

test.each<[string, FinalityRule, Heads, number | undefined, number | undefined]>([
  ['a payment in the head block has one confirmation', { kind: 'confirmations', count: 1 }, heads, undefined, 100],
  ['twelve confirmations are eleven blocks on top', { kind: 'confirmations', count: 12 }, heads, undefined, 89],
  ['the chain says what is safe', { kind: 'safe' }, heads, undefined, 90],
  ['nothing is safe where the chain has no such tag', { kind: 'safe' }, { ...heads, safe: null }, undefined, undefined],
  ['the chain says what is final', { kind: 'finalized' }, heads, undefined, 80],
  ['the highest block that is old enough', { kind: 'age', seconds: 60 }, heads, 40, 40],
  ['no block is old enough', { kind: 'age', seconds: 60 }, heads, undefined, undefined],
])('the height that a tier calls settled: %s', (_title, rule, given, aged, expected) => {
  expect(settledHeight(rule, given, aged)).toBe(expected);
});

test.each<[string, number, number | undefined, number]>([
  ['is halved', 50, undefined, 25],
  ['goes down to what the provider suggests', 50, 10, 10],
  ['is halved when the provider suggests what was refused', 8, 100, 4],
  ['never goes below one block', 1, undefined, 1],
])('a refused range %s', (_title, range, suggested, expected) => {
  expect(shrunkRange(range, suggested)).toBe(expected);
});

test.each([
  ['grows when it was read in full', 50, 50, 63],
  ['grows by one at least', 1, 1, 2],
  ['does not grow beyond what the source takes', 1_999, 1_999, 2_000],
  ['does not grow when less of it was there to read', 50, 49, 50],
])('a range %s', (_title, range, read, expected) => {
  expect(grownRange(range, read, 2_000)).toBe(expected);
});
