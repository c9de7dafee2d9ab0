import { expect, test } from 'vitest';
import { hasAll } from './deepen-tier.ts';

const seen = (index: string, to = 'alice', units = 5n, blockHash = '0xb') => ({
  txId: '0x1',
  index,
  to,
  units,
  blockHash,
});

test.each<[string, ReturnType<typeof seen>[], ReturnType<typeof seen>[], boolean]>([
  ['nothing was stored', [seen('USDT:0')], [], true],
  ['it is there', [seen('USDT:0')], [seen('USDT:0')], true],
  ['it is there under a higher number', [seen('USDT:0', 'bob'), seen('USDT:1')], [seen('USDT:0')], true],
  ['it is not there', [], [seen('USDT:0')], false],
  ['it went to another', [seen('USDT:0', 'bob')], [seen('USDT:0')], false],
  ['it was another amount', [seen('USDT:0', 'alice', 6n)], [seen('USDT:0')], false],
  ['it was another token', [seen('USDC:0')], [seen('USDT:0')], false],
  ['it stands in another block', [seen('USDT:0', 'alice', 5n, '0xc')], [seen('USDT:0')], false],
  ['two alike were stored, and one is there', [seen('USDT:0')], [seen('USDT:0'), seen('USDT:1')], false],
])('%s', (_title, hits, stored, expected) => {
  expect(hasAll(hits, stored)).toBe(expected);
});
