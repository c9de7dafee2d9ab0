import { expect, test } from 'vitest';
import { createTrust } from './trust.ts';

const at = (endpointId: bigint, host = 'one', storeId = 1n) => ({ endpointId, host, storeId });

test('a receiver is fresh until it is asked, then as it answered last', () => {
  const trust = createTrust();
  expect(trust.levelOf(at(1n))).toBe('fresh');
  trust.recordOutcome(at(1n), true);
  expect(trust.levelOf(at(1n))).toBe('proven');
  trust.recordOutcome(at(1n), false);
  expect(trust.levelOf(at(1n))).toBe('failing');
});

test('a new address is judged by its host, and a new host by its store: a shop may use one for each order', () => {
  const trust = createTrust();
  trust.recordOutcome(at(1n), true);
  expect(trust.levelOf(at(2n))).toBe('proven');
  expect(trust.levelOf(at(3n, 'two'))).toBe('proven');
  expect(trust.levelOfStore(1n)).toBe('proven');
  expect(trust.levelOf(at(4n, 'one', 2n))).toBe('fresh');
});

test('an address that fails says nothing of one that answered, at the same host', () => {
  const trust = createTrust();
  trust.recordOutcome(at(1n), true);
  trust.recordOutcome(at(2n), false);
  expect(trust.levelOf(at(1n))).toBe('proven');
  expect(trust.levelOf(at(2n))).toBe('failing');
  expect(trust.levelOf(at(3n))).toBe('failing');
  expect(trust.provenOf([1n])).toEqual({ endpoints: [1n], hosts: [], failing: [2n] });
});

test('a store with a host that fails gets no credit for another one', () => {
  const trust = createTrust();
  trust.recordOutcome(at(1n, 'one'), false);
  expect(trust.levelOf(at(2n, 'two'))).toBe('failing');
  trust.recordOutcome(at(2n, 'two'), true);
  expect(trust.levelOf(at(3n, 'two'))).toBe('proven');
  expect(trust.provenOf([1n, 2n])).toEqual({ endpoints: [2n], hosts: [{ storeId: 1n, host: 'two' }], failing: [1n] });
});

test('what is known of a store is bounded, and the oldest of it is forgotten first', () => {
  const trust = createTrust();
  for (let endpoint = 1n; endpoint <= 65n; endpoint += 1n)
    trust.recordOutcome(at(endpoint, `host-${endpoint}`), endpoint > 1n);
  const { hosts, endpoints, failing } = trust.provenOf([1n]);
  expect([hosts.length, endpoints.length, failing.length]).toEqual([64, 64, 0]);
  expect(trust.levelOf(at(1n, 'host-1'))).toBe('proven');
});
