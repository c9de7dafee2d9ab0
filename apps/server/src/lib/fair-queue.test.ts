import { expect, test } from 'vitest';
import { clientSurroundings } from './client-address.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Release } from './lanes.ts';

const settle = () => new Promise(setImmediate);

/** Lets clients enter a queue of which one is served at a time; `order` is who was served, `refused` who was not. */
function openQueue(waiting: number) {
  const queue = createFairQueue({ atOnce: 1, waiting });
  const [order, refused]: [string[], string[]] = [[], []];
  const releases: Release[] = [];
  const enter = async (address: string) => {
    const release = await queue.enter(clientSurroundings(address));
    if (release) releases.push(release);
    (release ? order : refused).push(address);
  };
  const serveAll = async () => {
    await settle();
    for (let release = releases.shift(); release; release = releases.shift()) {
      release();
      await settle();
    }
  };
  return { enter, serveAll, order, refused };
}

test('clients are served in order of arrival, but the first of each network before the second of any', async () => {
  const { enter, serveAll, order } = openQueue(20);
  const attackers = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:1::1'];
  for (const address of [...attackers, '203.0.113.9', '2001:db9::1', '198.51.100.1']) void enter(address);
  await serveAll();
  const [first, second, third, other] = attackers;
  expect(order).toEqual([first, '203.0.113.9', '2001:db9::1', '198.51.100.1', other, second, third]);
});

test('a full queue drops the last client of the network that has most, and refuses nobody else', async () => {
  const { enter, serveAll, order, refused } = openQueue(3);
  const crowd = Array.from({ length: 50 }, (_unused, index) => `2001:db8:1:${index.toString(16)}::1`);
  for (const address of crowd) void enter(address);
  await settle();
  expect(refused).toEqual(crowd.slice(4));
  for (const address of ['203.0.113.9', '198.51.100.1']) void enter(address);
  await settle();
  expect(refused).toEqual([...crowd.slice(4), crowd[3], crowd[2]]);
  await serveAll();
  expect(order).toEqual([crowd[0], '203.0.113.9', '198.51.100.1', crowd[1]]);
});

test('places are free again after the work, also when it is ended twice', async () => {
  const queue = createFairQueue({ atOnce: 1, waiting: 0 });
  const here = clientSurroundings('203.0.113.9');
  const release = await queue.enter(here);
  expect(await queue.enter(here)).toBeUndefined();
  release?.();
  release?.();
  expect(await queue.enter(here)).toBeDefined();
  expect(await queue.enter(here)).toBeUndefined();
});
