import { Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { collectTogether } from './collect-together.ts';

function gaugesOf(registry: Registry): { first: Gauge; second: Gauge } {
  const registers = [registry];
  return {
    first: new Gauge({ name: 'first', help: 'Registered before the look.', registers }),
    second: new Gauge({ name: 'second', help: 'By label.', labelNames: ['of'], registers }),
  };
}

const valuesOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('the first scrape shows everything that one read found', async () => {
  const registry = new Registry();
  const { first, second } = gaugesOf(registry);
  let looks = 0;
  collectTogether([second, first], async () => {
    looks += 1;
    return () => {
      first.set(looks);
      second.set({ of: 'a' }, looks);
    };
  });
  expect(await valuesOf(registry)).toEqual(['first 1', 'second{of="a"} 1']);
  expect(await valuesOf(registry)).toEqual(['first 2', 'second{of="a"} 2']);
});

test('a row that is gone is no longer shown', async () => {
  const registry = new Registry();
  const { second } = gaugesOf(registry);
  const found = ['a', 'b'];
  collectTogether([second], async () => () => {
    for (const of of found) second.set({ of }, 1);
  });
  await valuesOf(registry);
  found.pop();
  expect(await valuesOf(registry)).toEqual(['first 0', 'second{of="a"} 1']);
});

test('a read that fails fails its scrape, and the next scrape reads again', async () => {
  const registry = new Registry();
  const { first } = gaugesOf(registry);
  let fails = true;
  collectTogether([first], async () => {
    if (fails) throw new Error('The database is away.');
    return () => first.set(7);
  });
  await expect(registry.metrics()).rejects.toThrow('The database is away.');
  fails = false;
  expect(await valuesOf(registry)).toEqual(['first 7']);
});
