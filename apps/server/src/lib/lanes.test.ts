import { expect, test } from 'vitest';
import { createLanes } from './lanes.ts';

test('work beyond the number at once waits in order of arrival, and work beyond the queue is refused', async () => {
  const lanes = createLanes({ atOnce: 2, waiting: 2 });
  const started: number[] = [];
  const entering = [0, 1, 2, 3, 4].map(async (number) => {
    const release = await lanes.enter('a');
    if (release) started.push(number);
    return release;
  });
  const [first, second, third, fourth, fifth] = entering;
  expect(await fifth).toBeUndefined();
  const [endFirst, endSecond] = [await first, await second];
  expect(started).toEqual([0, 1]);
  endFirst?.();
  const endThird = await third;
  expect(started).toEqual([0, 1, 2]);
  endSecond?.();
  endThird?.();
  await fourth;
  expect(started).toEqual([0, 1, 2, 3]);
});

test('a full lane refuses nobody else', async () => {
  const lanes = createLanes({ atOnce: 1, waiting: 0 });
  expect(await lanes.enter('a')).toBeDefined();
  expect(await lanes.enter('a')).toBeUndefined();
  expect(await lanes.enter('b')).toBeDefined();
});

test('work that is ended twice frees one place', async () => {
  const lanes = createLanes({ atOnce: 2, waiting: 0 });
  const [first] = [await lanes.enter('a'), await lanes.enter('a')];
  first?.();
  first?.();
  expect(await lanes.enter('a')).toBeDefined();
  expect(await lanes.enter('a')).toBeUndefined();
});
