import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { counter, gauge, observe } from './observe.ts';

const METRICS = { first: gauge('Without a label.'), second: gauge('By label.', 'of'), third: counter('A total.') };

const FAILED = 'counterfoil_metric_reads_failed_total';

const linesOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.includes(FAILED));

const valuesOf = async (registry: Registry) => (await linesOf(registry)).filter((line) => !line.startsWith('#'));

const failedReadsOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').find((line) => line.startsWith(FAILED));

test('the first scrape shows all that its read found, by one read', async () => {
  const registry = new Registry();
  let reads = 0;
  observe(registry, METRICS, async () => {
    reads += 1;
    return { first: -reads, second: [[{ of: 'a' }, reads]], third: 10 * reads };
  });
  expect(await valuesOf(registry)).toEqual(['first -1', 'second{of="a"} 1', 'third 10']);
  expect(await valuesOf(registry)).toEqual(['first -2', 'second{of="a"} 2', 'third 20']);
});

test('a gauge and a counter are printed as what they are, with their help', async () => {
  const registry = new Registry();
  observe(registry, METRICS, () => ({ first: 1, second: [], third: 0 }));
  expect(await linesOf(registry)).toEqual([
    '# HELP first Without a label.',
    '# TYPE first gauge',
    'first 1',
    '# HELP second By label.',
    '# TYPE second gauge',
    '# HELP third A total.',
    '# TYPE third counter',
    'third 0',
  ]);
});

test('what is gone is shown no more', async () => {
  const registry = new Registry();
  const found = ['a', 'b'];
  observe(registry, { second: METRICS.second }, () => ({ second: found.map((of) => [{ of }, 1] as const) }));
  expect(await valuesOf(registry)).toEqual(['second{of="a"} 1', 'second{of="b"} 1']);
  found.pop();
  expect(await valuesOf(registry)).toEqual(['second{of="a"} 1']);
});

test('a read that fails removes its samples and no others, is counted, and the next one reads anew', async () => {
  const registry = new Registry();
  let fails = false;
  observe(registry, METRICS, async () => {
    if (fails) throw new Error('The database is away.');
    return { first: 7, second: [[{ of: 'a' }, 8]], third: 9 };
  });
  observe(registry, { other: gauge('Of another read.') }, () => ({ other: 1 }));
  expect(await valuesOf(registry)).toEqual(['first 7', 'second{of="a"} 8', 'third 9', 'other 1']);
  expect(await failedReadsOf(registry)).toBe(`${FAILED} 0`);
  fails = true;
  expect(await valuesOf(registry)).toEqual(['other 1']);
  expect(await failedReadsOf(registry)).toBe(`${FAILED} 1`);
  fails = false;
  expect(await valuesOf(registry)).toEqual(['first 7', 'second{of="a"} 8', 'third 9', 'other 1']);
});

test('a read that does not end holds up no scrape, and is not repeated before it ends', async () => {
  const registry = new Registry();
  const unfinished = Promise.withResolvers<{ first: number }>();
  let reads = 0;
  const read = () => {
    reads += 1;
    return unfinished.promise;
  };
  observe(registry, { first: METRICS.first }, read, 1);
  expect(await valuesOf(registry)).toEqual([]);
  expect(await valuesOf(registry)).toEqual([]);
  expect(reads).toBe(1);
  unfinished.resolve({ first: 7 });
  expect(await valuesOf(registry)).toEqual(['first 7']);
});
