import { expect, test } from 'vitest';
import { remember, setBounded } from './bounded-map.ts';

test('a bounded map drops the entry that was set longest ago', () => {
  const map = new Map<string, number>();
  for (const key of ['a', 'b', 'a', 'c', 'd']) setBounded(map, key, map.size, 3);
  expect([...map.keys()]).toEqual(['a', 'c', 'd']);
});

test('a remembered answer is made once, until so many others were asked for since', () => {
  const made: string[] = [];
  const shout = remember(
    (text: string) => {
      made.push(text);
      return text.toUpperCase();
    },
    { max: 2 },
  );
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(shout)).toEqual(['A', 'B', 'A', 'C', 'A', 'B']);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('an answer that failed is not remembered', () => {
  let asked = 0;
  const fail = remember(
    () => {
      asked += 1;
      throw new Error('not yet');
    },
    { max: 2 },
  );
  for (let times = 0; times < 2; times += 1) expect(() => fail('a')).toThrow('not yet');
  expect(asked).toBe(2);
});
