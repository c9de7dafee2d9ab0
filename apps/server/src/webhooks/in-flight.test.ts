import { expect, test } from 'vitest';
import type { DueDelivery } from './delivery-sql.ts';
import { createPlaces } from './in-flight.ts';
import { createTrust } from './trust.ts';

const UNPROVEN = { fresh: 6, troubled: 3, perEndpoint: 1, perHost: 3, perStore: 2 };
const CAPS = { all: 20, perEndpoint: 2, perHost: 3, perStore: 4, hanging: 5, unproven: UNPROVEN };

let made = 0n;
function due(endpointId: bigint, host = `host-${endpointId}`, storeId = endpointId): DueDelivery {
  made += 1n;
  return { id: made, endpointId, host, storeId };
}

function open({ proven = [] as DueDelivery[], caps = CAPS } = {}) {
  const trust = createTrust();
  for (const delivery of proven) trust.judge(delivery, true);
  const places = createPlaces(caps, trust);
  return { trust, places, choose: (deliveries: DueDelivery[]) => places.choose(deliveries, 1_000).deliveries };
}

test('an endpoint, a host and a store each hold no more than their cap', () => {
  const sameEndpoint = [due(1n), due(1n), due(1n)];
  expect(open({ proven: sameEndpoint }).choose(sameEndpoint)).toHaveLength(2);
  const sameHost = [1n, 2n, 3n, 4n].map((endpoint) => due(endpoint, 'one'));
  expect(open({ proven: sameHost }).choose(sameHost)).toHaveLength(3);
  const sameStore = [1n, 2n, 3n, 4n, 5n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(open({ proven: sameStore }).choose(sameStore)).toHaveLength(4);
});

test('choosing takes no place, and what was taken counts until it leaves', () => {
  const first = due(1n);
  const { places, choose } = open({ proven: [first] });
  expect(places.choose([first, due(2n)], 1).deliveries).toEqual([first]);
  expect(places.free()).toBe(20);
  places.take(first);
  places.take(due(1n));
  expect(places.free()).toBe(18);
  expect(places.full()).toEqual({ endpoints: [1n], hosts: [], stores: [] });
  expect(choose([due(1n)])).toEqual([]);
  places.leave(first);
  expect(choose([due(1n), due(1n)])).toHaveLength(1);
});

test('a host and a store that are full are passed over by name', () => {
  const { places } = open();
  for (const endpoint of [1n, 2n, 3n]) places.take(due(endpoint, 'one', 7n));
  expect(places.full()).toEqual({ endpoints: [], hosts: ['one'], stores: [] });
  places.take(due(4n, 'two', 7n));
  expect(places.full()).toEqual({ endpoints: [], hosts: ['one'], stores: [7n] });
});

test('receivers that never answered share a part of the places, and one that answered may use all of them', () => {
  const answered = due(100n);
  const { places, choose, trust } = open({ proven: [answered] });
  const fresh = Array.from({ length: 10 }, (_unused, index) => due(BigInt(index + 1)));
  expect(choose([...fresh, answered])).toEqual([...fresh.slice(0, 6), answered]);
  for (const delivery of fresh.slice(0, 6)) places.take(delivery);
  trust.judge(due(10n), true);
  expect(choose([due(9n), due(10n), due(10n)])).toHaveLength(2);
});

test('of one store and of one host few places are for those that never answered, and what stays behind is named', () => {
  const { places } = open();
  const endpoints = [1n, 2n, 3n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(places.choose([...endpoints, due(4n)], 100)).toEqual({
    deliveries: [endpoints[0], endpoints[1], expect.objectContaining({ endpointId: 4n })],
    waiting: [7n],
  });
  const sameHost = [11n, 12n, 13n, 14n].map((endpoint) => due(endpoint, 'one'));
  expect(places.choose(sameHost, 100)).toMatchObject({ waiting: [14n] });
});

test('receivers that failed leave places to those that were never asked', () => {
  const failed = Array.from({ length: 5 }, (_unused, index) => due(BigInt(index + 1)));
  const { choose, trust } = open();
  for (const delivery of failed) trust.judge(delivery, false);
  const fresh = [due(11n), due(12n), due(13n)];
  expect(choose([...failed, ...fresh])).toEqual([...failed.slice(0, 3), ...fresh]);
});

test('who was taken as fresh and hangs makes room for the next one that is, of another store', () => {
  const fresh = Array.from({ length: 6 }, (_unused, index) => due(BigInt(1 + index)));
  const { places, choose } = open();
  for (const delivery of fresh) places.take(delivery);
  expect(choose([due(7n)])).toEqual([]);
  for (const delivery of fresh.slice(0, 2)) places.hang(delivery);
  expect(choose([due(1n), due(7n), due(8n), due(9n)]).map((one) => one.endpointId)).toEqual([7n, 8n]);
});

test('what hangs is beside the places of the others, as far as there is room for it there', () => {
  const silent = Array.from({ length: 20 }, (_unused, index) => due(BigInt(1 + index)));
  const healthy = due(100n);
  const { places, choose } = open({ proven: [...silent, healthy] });
  for (const delivery of silent) places.take(delivery);
  expect(choose([healthy])).toEqual([]);
  for (const delivery of silent.slice(0, 4)) places.hang(delivery);
  expect(places.free()).toBe(4);
  expect(choose([healthy, due(101n)])).toHaveLength(2);
  for (const delivery of silent.slice(4)) places.hang(delivery);
  expect(places.free()).toBe(5);
  expect(places.hasUnprovenRoom()).toBe(false);
  expect(choose([due(101n), healthy])).toEqual([healthy]);
  for (const delivery of silent) places.leave(delivery);
  expect(places.free()).toBe(20);
});
