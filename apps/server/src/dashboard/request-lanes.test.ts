import { expect, test } from 'vitest';
import { createRequestLanes, lookUpInLane } from './request-lanes.ts';

/** Asks for lookups that never end, one from each address; `started` are those that run, `refused` those that were not let in. */
function startLookups(addresses: readonly string[]) {
  const lanes = createRequestLanes();
  const [started, refused]: [string[], string[]] = [[], []];
  const ask = (ip: string) => {
    const lookUp = () => {
      started.push(ip);
      return new Promise<never>(() => {});
    };
    lookUpInLane(lanes, { token: `of ${ip}`, ip }, lookUp).catch(() => refused.push(ip));
  };
  for (const ip of addresses) ask(ip);
  return { ask, started, refused, settle: () => new Promise(setImmediate) };
}

const NETWORK = '2001:db8:1';
/** Addresses that have no narrower network in common. */
const inNetwork = (count: number) =>
  Array.from({ length: count }, (_unused, n) => `${NETWORK}:${(n * 256).toString(16)}::1`);

test('session lookups of all addresses of an IPv6 /48 together are bounded, and others are looked up', async () => {
  const { ask, started, refused, settle } = startLookups(inNetwork(250));
  await settle();
  expect(started).toHaveLength(32);
  expect(refused).toHaveLength(250 - 32 - 128);
  for (const ip of ['2001:db8:2::1', '203.0.113.9']) ask(ip);
  await settle();
  expect(started.slice(32).toSorted()).toEqual(['2001:db8:2::1', '203.0.113.9']);
});

test('session lookups of one address take no more than half of the places of its IPv6 network', async () => {
  const { ask, started, settle } = startLookups([]);
  for (let n = 0; n < 300; n += 1) ask(`${NETWORK}:0::${n.toString(16)}`);
  await settle();
  ask(`${NETWORK}:1::1`);
  await settle();
  expect(started).toHaveLength(17);
  expect(started.at(-1)).toBe(`${NETWORK}:1::1`);
});
