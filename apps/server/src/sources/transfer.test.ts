import { expect, test } from 'vitest';
import type { BlockRef } from './transfer.ts';
import { isLinked } from './transfer.ts';

const block = (hash: string, parentHash: string): BlockRef => ({ height: 1, hash, parentHash, time: 1 });

test.each<[string, BlockRef[], boolean]>([
  ['nothing follows from anything', [], true],
  ['the first follows from the parent', [block('b', 'a')], true],
  ['each follows from the one before it', [block('b', 'a'), block('c', 'b'), block('d', 'c')], true],
  ['the first has another parent', [block('b', 'x'), block('c', 'b')], false],
  ['one in the middle has another parent', [block('b', 'a'), block('c', 'x'), block('d', 'c')], false],
  ['one is missing', [block('b', 'a'), block('d', 'c')], false],
  ['they stand in the opposite order', [block('c', 'b'), block('b', 'a')], false],
])('linked blocks: %s', (_title, blocks, linked) => {
  expect(isLinked({ hash: 'a' }, blocks)).toBe(linked);
});
