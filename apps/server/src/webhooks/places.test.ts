import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

const CAPS = { all: 10, perEndpoint: 2, perHost: 3, perStore: 4, troubled: 1 };

let made = 0n;
function due(endpointId: bigint, host = `host-${endpointId}`, storeId = endpointId) {
  made += 1n;
  return { id: made, endpointId, host, storeId };
}

test('an endpoint, a host and a store each hold no more than their cap', () => {
  const places = createPlaces(CAPS);
  expect(places.choose([due(1n), due(1n), due(1n)], 10)).toHaveLength(2);
  const sameHost = [1n, 2n, 3n, 4n].map((endpoint) => due(endpoint, 'one'));
  expect(places.choose(sameHost, 10)).toHaveLength(3);
  const sameStore = [1n, 2n, 3n, 4n, 5n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(places.choose(sameStore, 10)).toHaveLength(4);
});

test('choosing takes no place, and what was taken counts until it leaves', () => {
  const places = createPlaces(CAPS);
  const first = due(1n);
  expect(places.choose([first, due(2n)], 1)).toEqual([first]);
  expect(places.free()).toBe(10);
  places.take(first);
  places.take(due(1n));
  expect(places.free()).toBe(8);
  expect(places.excluded()).toEqual({ endpoints: [1n], hosts: [], stores: [] });
  expect(places.choose([due(1n)], 10)).toEqual([]);
  places.leave(first);
  expect(places.choose([due(1n), due(1n)], 10)).toHaveLength(1);
});

test('a host and a store that are full are passed over by name', () => {
  const places = createPlaces(CAPS);
  for (const endpoint of [1n, 2n, 3n]) places.take(due(endpoint, 'one', 7n));
  expect(places.excluded()).toEqual({ endpoints: [], hosts: ['one'], stores: [] });
  places.take(due(4n, 'two', 7n));
  expect(places.excluded()).toEqual({ endpoints: [], hosts: ['one'], stores: [7n] });
});

test('endpoints in trouble share few places, and one that answers is out of trouble', () => {
  const places = createPlaces(CAPS);
  places.note(1n, false);
  places.note(2n, false);
  const first = due(1n);
  expect(places.choose([first, due(2n), due(3n)], 10).map((one) => one.endpointId)).toEqual([1n, 3n]);
  places.take(first);
  expect(places.excluded().endpoints).toEqual([1n, 2n]);
  places.note(1n, true);
  places.leave(first);
  expect(places.excluded().endpoints).toEqual([]);
  expect(places.choose([due(1n), due(1n), due(2n)], 10)).toHaveLength(3);
});
