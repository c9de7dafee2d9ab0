import { expect, test } from 'vitest';
import type { FinalityRule } from '../networks/finality.ts';
import type { Heads } from '../sources/chain-source.ts';
import { settledHeight } from './follower.ts';

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
