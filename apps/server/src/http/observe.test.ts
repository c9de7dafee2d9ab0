import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { counter, gauge, observe } from './observe.ts';

const METRICS = { first: gauge('Without a label.'), second: gauge('By label.', 'of'), third: counter('A total.') };

const valuesOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

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
  expect((await registry.metrics()).split('\n').filter((line) => line !== '')).toEqual([
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

test('a read that fails fails its scrape, and the next one reads anew', async () => {
  const registry = new Registry();
  let fails = true;
  observe(registry, { first: METRICS.first }, async () => {
    if (fails) throw new Error('The database is away.');
    return { first: 7 };
  });
  await expect(registry.metrics()).rejects.toThrow('The database is away.');
  fails = false;
  expect(await valuesOf(registry)).toEqual(['first 7']);
});
