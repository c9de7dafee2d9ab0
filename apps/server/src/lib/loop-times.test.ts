import { expect, test } from 'vitest';
import { createManualClock } from './clock.ts';
import { createLoopTimes } from './loop-times.ts';

test('a loop is late once its pause has passed without a completed run, and on time after one', async () => {
  const clock = createManualClock(0);
  const times = createLoopTimes(clock);
  let fails = true;
  const loop = times.time({
    name: 'prices',
    idleMs: 5_000,
    body: async () => {
      if (fails) throw new Error('The database is away.');
      return true;
    },
  });
  const late = () => times.lateSeconds();
  clock.advance(5_000);
  expect(late()).toEqual([{ loop: 'prices', seconds: 0 }]);
  clock.advance(7_000);
  await expect(loop.body()).rejects.toThrow('The database is away.');
  expect(late()).toEqual([{ loop: 'prices', seconds: 7 }]);
  fails = false;
  expect(await loop.body()).toBe(true);
  expect(late()).toEqual([{ loop: 'prices', seconds: 0 }]);
});
