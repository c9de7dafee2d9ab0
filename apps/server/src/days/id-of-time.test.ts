import { expect, test } from 'vitest';
import { findIdAt } from './id-of-time.ts';

/** Rows with these ids, a second apart; ids have gaps where transactions were rolled back. */
const IDS = [3n, 4n, 9n, 10n, 50n, 51n, 1_000n];
const findFrom = async (id: bigint) => {
  const place = IDS.findIndex((one) => one >= id);
  const found = IDS[place];
  return found === undefined ? undefined : { id: found, at: new Date(place * 1_000) };
};

test.each<[string, number, bigint[]]>([
  ['before all', -1, IDS],
  ['at the first', 0, IDS],
  ['between two', 2_500, [10n, 50n, 51n, 1_000n]],
  ['at one', 3_000, [10n, 50n, 51n, 1_000n]],
  ['at the last', 6_000, [1_000n]],
  ['after all', 6_001, []],
])('the id of a moment %s leaves exactly the rows from then on', async (_what, atMs, expected) => {
  const id = await findIdAt(1_000n, findFrom, atMs);
  expect(IDS.filter((one) => one >= id)).toEqual(expected);
});

test('without any row there is nothing to look for', async () => {
  expect(await findIdAt(undefined, findFrom, 0)).toBe(0n);
});
