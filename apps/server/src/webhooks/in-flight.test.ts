import { expect, test } from 'vitest';
import type { DueDelivery } from './delivery-sql.ts';
import { createInFlight } from './in-flight.ts';
import { createTrust } from './trust.ts';

const UNPROVEN = { fresh: 6, failing: 3, perEndpoint: 1, perHost: 3, perStore: 2 };
const CAPS = { all: 20, perEndpoint: 2, perHost: 3, perStore: 4, hanging: 5, unproven: UNPROVEN };

let made = 0n;
function due(endpointId: bigint, host = `host-${endpointId}`, storeId = endpointId): DueDelivery {
  made += 1n;
  return { id: made, endpointId, host, storeId };
}

function open({ proven = [] as DueDelivery[], caps = CAPS } = {}) {
  const trust = createTrust();
  for (const delivery of proven) trust.recordOutcome(delivery, true);
  const inFlight = createInFlight(caps, trust);
  return { trust, inFlight, choose: (deliveries: DueDelivery[]) => inFlight.choose(deliveries, 1_000).deliveries };
}

test('an endpoint, a host and a store each hold no more than their cap', () => {
  const sameEndpoint = [due(1n), due(1n), due(1n)];
  expect(open({ proven: sameEndpoint }).choose(sameEndpoint)).toHaveLength(2);
  const sameHost = [1n, 2n, 3n, 4n].map((endpoint) => due(endpoint, 'one'));
  expect(open({ proven: sameHost }).choose(sameHost)).toHaveLength(3);
  const sameStore = [1n, 2n, 3n, 4n, 5n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(open({ proven: sameStore }).choose(sameStore)).toHaveLength(4);
});

test('choosing takes no slot, and a slot that was taken counts until it is released', () => {
  const first = due(1n);
  const { inFlight, choose } = open({ proven: [first] });
  expect(inFlight.choose([first, due(2n)], 1).deliveries).toEqual([first]);
  expect(inFlight.free()).toBe(20);
  inFlight.take(first);
  inFlight.take(due(1n));
  expect(inFlight.free()).toBe(18);
  expect(inFlight.full()).toEqual({ endpoints: [1n], hosts: [], stores: [] });
  expect(choose([due(1n)])).toEqual([]);
  inFlight.release(first);
  expect(choose([due(1n), due(1n)])).toHaveLength(1);
});

test('a host and a store that are full are passed over by name', () => {
  const { inFlight } = open();
  for (const endpoint of [1n, 2n, 3n]) inFlight.take(due(endpoint, 'one', 7n));
  expect(inFlight.full()).toEqual({ endpoints: [], hosts: ['one'], stores: [] });
  inFlight.take(due(4n, 'two', 7n));
  expect(inFlight.full()).toEqual({ endpoints: [], hosts: ['one'], stores: [7n] });
});

test('receivers that never answered share a part of the slots, and one that answered may use all of them', () => {
  const answered = due(100n);
  const { inFlight, choose, trust } = open({ proven: [answered] });
  const fresh = Array.from({ length: 10 }, (_unused, index) => due(BigInt(index + 1)));
  expect(choose([...fresh, answered])).toEqual([...fresh.slice(0, 6), answered]);
  for (const delivery of fresh.slice(0, 6)) inFlight.take(delivery);
  trust.recordOutcome(due(10n), true);
  expect(choose([due(9n), due(10n), due(10n)])).toHaveLength(2);
});

test('receivers that never answered have few slots per store and per host, and those left out are named', () => {
  const { inFlight } = open();
  const endpoints = [1n, 2n, 3n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(inFlight.choose([...endpoints, due(4n)], 100)).toEqual({
    deliveries: [endpoints[0], endpoints[1], expect.objectContaining({ endpointId: 4n })],
    waiting: [7n],
  });
  const sameHost = [11n, 12n, 13n, 14n].map((endpoint) => due(endpoint, 'one'));
  expect(inFlight.choose(sameHost, 100)).toMatchObject({ waiting: [14n] });
});

test('receivers that failed leave slots to those that were never asked', () => {
  const failed = Array.from({ length: 5 }, (_unused, index) => due(BigInt(index + 1)));
  const { choose, trust } = open();
  for (const delivery of failed) trust.recordOutcome(delivery, false);
  const fresh = [due(11n), due(12n), due(13n)];
  expect(choose([...failed, ...fresh])).toEqual([...failed.slice(0, 3), ...fresh]);
});

test('a fresh receiver that hangs makes room for a fresh one of another store', () => {
  const fresh = Array.from({ length: 6 }, (_unused, index) => due(BigInt(1 + index)));
  const { inFlight, choose } = open();
  for (const delivery of fresh) inFlight.take(delivery);
  expect(choose([due(7n)])).toEqual([]);
  for (const delivery of fresh.slice(0, 2)) inFlight.hang(delivery);
  expect(choose([due(1n), due(7n), due(8n), due(9n)]).map((one) => one.endpointId)).toEqual([7n, 8n]);
});

test('an attempt that hangs is counted apart from the slots of the others, as far as there is room for it', () => {
  const silent = Array.from({ length: 20 }, (_unused, index) => due(BigInt(1 + index)));
  const healthy = due(100n);
  const { inFlight, choose } = open({ proven: [...silent, healthy] });
  for (const delivery of silent) inFlight.take(delivery);
  expect(choose([healthy])).toEqual([]);
  for (const delivery of silent.slice(0, 4)) inFlight.hang(delivery);
  expect(inFlight.free()).toBe(4);
  expect(choose([healthy, due(101n)])).toHaveLength(2);
  for (const delivery of silent.slice(4)) inFlight.hang(delivery);
  expect(inFlight.free()).toBe(5);
  expect(inFlight.hasUnprovenRoom()).toBe(false);
  expect(choose([due(101n), healthy])).toEqual([healthy]);
  for (const delivery of silent) inFlight.release(delivery);
  expect(inFlight.free()).toBe(20);
});
