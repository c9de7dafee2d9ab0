import { expect, test } from 'vitest';
import { createBatcher } from './batch.ts';

test('asks made while a run is under way leave together and each gets its own answer', async () => {
  const sizes: number[] = [];
  const release: (() => void)[] = [];
  const double = createBatcher<number, number>({
    maxAsks: 3,
    maxRunning: 1,
    run: async (asks) => {
      sizes.push(asks.length);
      await new Promise<void>((resolve) => release.push(resolve));
      return asks.map((ask) => ask * 2);
    },
  });
  const answers = Promise.all([1, 2, 3, 4, 5, 6, 7].map((ask) => double(ask)));
  for (let run = 0; run < 3; run += 1) {
    while (release.length <= run) await new Promise((resolve) => setImmediate(resolve));
    release[run]?.();
  }
  expect(await answers).toEqual([2, 4, 6, 8, 10, 12, 14]);
  expect(sizes).toEqual([3, 3, 1]);
});

test('a failed run fails its own asks and the next run goes on', async () => {
  const ask = createBatcher<string, string>({
    maxAsks: 1,
    maxRunning: 1,
    run: async ([first]) => {
      if (first === 'bad') throw new Error('refused');
      return [`${first}!`];
    },
  });
  const results = await Promise.allSettled([ask('bad'), ask('good')]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
});

test('a run that answers too few is a failure, never a mix-up', async () => {
  const ask = createBatcher<number, number>({ maxAsks: 2, maxRunning: 1, run: async () => [1] });
  const results = await Promise.allSettled([ask(1), ask(2)]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
});
