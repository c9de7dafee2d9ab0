import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const everybody = () => true;

test('stores that wait have their turns one after the other, and a later one is not skipped', () => {
  const turns = createTurns();
  turns.add([1n, 2n, 3n]);
  expect(turns.next(2, everybody)).toEqual([
    { storeId: 1n, after: 0n },
    { storeId: 2n, after: 0n },
  ]);
  turns.add([4n, 1n]);
  expect(turns.next(3, everybody).map((turn) => turn.storeId)).toEqual([3n, 1n, 2n]);
  expect(turns.next(1, everybody)).toEqual([{ storeId: 4n, after: 0n }]);
});

test('a store that can be given no slot keeps its turn', () => {
  const turns = createTurns();
  turns.add([1n, 2n]);
  expect(turns.next(1, (storeId) => storeId !== 1n)).toEqual([{ storeId: 2n, after: 0n }]);
  expect(turns.next(1, everybody)).toEqual([{ storeId: 1n, after: 0n }]);
});

test('the next read of a store goes on where the last one ended, and a store without more rows no longer waits', () => {
  const turns = createTurns();
  turns.add([1n, 2n]);
  turns.reach(1n, 9n);
  turns.end(2n);
  expect(turns.waiting()).toEqual([1n]);
  expect(turns.next(8, everybody)).toEqual([{ storeId: 1n, after: 9n }]);
});
