import { expect, test } from 'vitest';
import { nextRange } from './advance-head.ts';
import type { Heads } from '../sources/chain-source.ts';

const block = (height: number) => ({ height, hash: `0x${height}`, parentHash: `0x${height - 1}`, time: height });
const headsAt = (latest: number, finalized: number): Heads => ({
  latest: block(latest),
  safe: null,
  finalized: block(finalized),
  by: 'node',
});

test.each<[string, number, Heads, number, number, ReturnType<typeof nextRange>]>([
  ['below what is final the ends suffice', 0, headsAt(1_000, 900), 2, 50, { to: 50, headers: 'ends' }],
  ['a long range ends where what is final ends', 500, headsAt(1_000, 900), 2, 2_000, { to: 900, headers: 'ends' }],
  ['one that reaches beyond it holds headers', 880, headsAt(1_000, 900), 2, 50, { to: 930, headers: 'all' }],
  ['above it every header is read', 900, headsAt(1_000, 900), 2, 50, { to: 950, headers: 'all' }],
  ['the newest blocks are left alone', 990, headsAt(1_000, 900), 4, 50, { to: 996, headers: 'all' }],
  ['linked ranges are bounded', 900, headsAt(2_000, 900), 2, 2_000, { to: 1_000, headers: 'all' }],
  ['nothing new lies at or below the cursor', 998, headsAt(1_000, 900), 2, 50, { to: 998, headers: 'all' }],
  ['a node that is behind offers less than was read', 998, headsAt(990, 890), 2, 50, { to: 988, headers: 'all' }],
  ['also where all is final at once', 0, headsAt(10, 10), 2, 50, { to: 8, headers: 'ends' }],
])('the next range to read: %s', (_title, cursor, heads, headLag, range, expected) => {
  expect(nextRange(cursor, heads, { headLag, range, headerStep: 1 })).toEqual(expected);
});

test('where blocks are faster than seconds, one header per second is stored, and ranges are longer', () => {
  const reach = { headLag: 10, range: 2_000, headerStep: 5 };
  expect(nextRange(900, headsAt(2_000, 900), reach)).toEqual({ to: 1_400, headers: { every: 5 } });
});

test('the reader gets past the final block, though that moves on with every read', () => {
  const reach = { headLag: 10, range: 50, headerStep: 5 };
  let cursor = 850;
  for (let read = 0; read < 4; read += 1)
    cursor = nextRange(cursor, headsAt(2_000 + 10 * read, 900 + 10 * read), reach).to;
  expect(cursor).toBe(1_050);
});
