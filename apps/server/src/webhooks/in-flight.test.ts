import { expect, test } from 'vitest';
import type { DueDelivery } from './delivery-sql.ts';
import { createInFlight, freeSlots, hasUnprovenRoom, listFull, markHanging, release, reserve } from './in-flight.ts';
import { createTrust } from './trust.ts';

const UNPROVEN = { fresh: 6, failing: 3, perEndpoint: 1, perHost: 3, perStore: 2 };
const CAPS = { all: 20, perEndpoint: 2, perHost: 3, perStore: 4, hanging: 5, unproven: UNPROVEN };

let made = 0n;
function due(endpointId: bigint, host = `host-${endpointId}`, storeId = endpointId): DueDelivery {
  made += 1n;
  return { id: made, endpointId, host, storeId, ofEndpoint: false };
}

function open({ proven = [] as DueDelivery[], caps = CAPS } = {}) {
  const trust = createTrust();
  for (const delivery of proven) trust.recordOutcome(delivery, true);
  const inFlight = createInFlight(caps, trust);
  return { trust, inFlight, take: (deliveries: DueDelivery[]) => reserve(inFlight, deliveries, 1_000).deliveries };
}

test('an endpoint, a host and a store each hold no more than their cap', () => {
  const sameEndpoint = [due(1n), due(1n), due(1n)];
  expect(open({ proven: sameEndpoint }).take(sameEndpoint)).toHaveLength(2);
  const sameHost = [1n, 2n, 3n, 4n].map((endpoint) => due(endpoint, 'one'));
  expect(open({ proven: sameHost }).take(sameHost)).toHaveLength(3);
  const sameStore = [1n, 2n, 3n, 4n, 5n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(open({ proven: sameStore }).take(sameStore)).toHaveLength(4);
});

test('a reserved slot counts until it is released', () => {
  const first = due(1n);
  const { inFlight, take } = open({ proven: [first] });
  expect(reserve(inFlight, [first, due(2n)], 1).deliveries).toEqual([first]);
  expect(freeSlots(inFlight)).toBe(19);
  expect(take([due(1n)])).toHaveLength(1);
  expect(freeSlots(inFlight)).toBe(18);
  expect(listFull(inFlight)).toEqual({ endpoints: [1n], hosts: [], stores: [] });
  expect(take([due(1n)])).toEqual([]);
  release(inFlight, first, 'untried');
  expect(take([due(1n), due(1n)])).toHaveLength(1);
});

test('a delivery holds one slot at a time, and cannot leave one that it does not hold', () => {
  const twice = due(1n);
  const { inFlight, take } = open({ proven: [twice] });
  expect(take([twice, twice])).toEqual([twice]);
  expect(reserve(inFlight, [twice], 1)).toEqual({ deliveries: [], waiting: [] });
  release(inFlight, twice, 'untried');
  expect(freeSlots(inFlight)).toBe(20);
  expect(() => release(inFlight, twice, 'untried')).toThrow('holds no slot');
});

test('how a delivery left its slot is what its receiver is trusted by, unless it was not tried', () => {
  const { inFlight, take, trust } = open();
  const levels = (['untried', 'delivered', 'untried', 'failed', 'untried'] as const).map((outcome) => {
    const delivery = due(1n);
    take([delivery]);
    release(inFlight, delivery, outcome);
    return trust.levelOf(delivery);
  });
  expect(levels).toEqual(['fresh', 'proven', 'proven', 'failing', 'failing']);
});

test('a slot is released as it was reserved, whatever became known of its receiver since', () => {
  const { inFlight, take, trust } = open();
  const fresh = Array.from({ length: 6 }, (_unused, index) => due(BigInt(1 + index)));
  take(fresh);
  for (const delivery of fresh) trust.recordOutcome(delivery, true);
  for (const delivery of fresh) release(inFlight, delivery, 'failed');
  expect(take(Array.from({ length: 7 }, (_unused, index) => due(BigInt(11 + index))))).toHaveLength(6);
});

test('a host and a store that are full are passed over by name', () => {
  const { inFlight, take } = open({ proven: [due(9n, 'nine', 7n)] });
  take([1n, 2n, 3n].map((endpoint) => due(endpoint, 'one', 7n)));
  expect(listFull(inFlight)).toEqual({ endpoints: [], hosts: ['one'], stores: [] });
  take([due(4n, 'two', 7n)]);
  expect(listFull(inFlight)).toEqual({ endpoints: [], hosts: ['one'], stores: [7n] });
});

test('receivers that never answered share a part of the slots, and one that answered may use all of them', () => {
  const answered = due(100n);
  const { take, trust } = open({ proven: [answered] });
  const fresh = Array.from({ length: 10 }, (_unused, index) => due(BigInt(index + 1)));
  expect(take([...fresh, answered])).toEqual([...fresh.slice(0, 6), answered]);
  trust.recordOutcome(due(10n), true);
  expect(take([due(9n), due(10n), due(10n)])).toHaveLength(2);
});

test('receivers that never answered have few slots per store and per host, and those left out are named', () => {
  const endpoints = [1n, 2n, 3n].map((endpoint) => due(endpoint, undefined, 7n));
  expect(reserve(open().inFlight, [...endpoints, due(4n)], 100)).toEqual({
    deliveries: [endpoints[0], endpoints[1], expect.objectContaining({ endpointId: 4n })],
    waiting: [7n],
  });
  const sameHost = [11n, 12n, 13n, 14n].map((endpoint) => due(endpoint, 'one'));
  expect(reserve(open().inFlight, sameHost, 100)).toMatchObject({ waiting: [14n] });
});

test('receivers that failed leave slots to those that were never asked', () => {
  const failed = Array.from({ length: 5 }, (_unused, index) => due(BigInt(index + 1)));
  const { take, trust } = open();
  for (const delivery of failed) trust.recordOutcome(delivery, false);
  const fresh = [due(11n), due(12n), due(13n)];
  expect(take([...failed, ...fresh])).toEqual([...failed.slice(0, 3), ...fresh]);
});

test('a fresh receiver that hangs makes room for a fresh one of another store', () => {
  const fresh = Array.from({ length: 6 }, (_unused, index) => due(BigInt(1 + index)));
  const { inFlight, take } = open();
  take(fresh);
  expect(take([due(7n)])).toEqual([]);
  for (const delivery of fresh.slice(0, 2)) markHanging(inFlight, delivery);
  expect(take([due(1n), due(7n), due(8n), due(9n)]).map((one) => one.endpointId)).toEqual([7n, 8n]);
});

test('an attempt that hangs is counted apart from the slots of the others, as far as there is room for it', () => {
  const silent = Array.from({ length: 20 }, (_unused, index) => due(BigInt(1 + index)));
  const healthy = due(100n);
  const { inFlight, take } = open({ proven: [...silent, healthy] });
  expect(take(silent)).toHaveLength(20);
  expect(take([healthy])).toEqual([]);
  for (const delivery of silent.slice(0, 4)) markHanging(inFlight, delivery);
  expect(freeSlots(inFlight)).toBe(4);
  const beside = take([healthy, due(101n)]);
  expect(beside).toHaveLength(2);
  for (const delivery of beside) release(inFlight, delivery, 'untried');
  for (const delivery of silent.slice(4)) markHanging(inFlight, delivery);
  expect(freeSlots(inFlight)).toBe(5);
  expect(hasUnprovenRoom(inFlight)).toBe(false);
  expect(take([due(101n), healthy])).toEqual([healthy]);
  for (const delivery of [...silent, healthy]) release(inFlight, delivery, 'untried');
  expect(freeSlots(inFlight)).toBe(20);
});
