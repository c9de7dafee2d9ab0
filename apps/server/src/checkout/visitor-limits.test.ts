import { describe, expect, test } from 'vitest';
import { clientNetworks } from '../lib/client-address.ts';
import { createManualClock } from '../lib/clock.ts';
import { WINDOW_SECONDS } from './visit-counts.ts';
import type { Visit, VisitorLimits } from './visitor-limits.ts';
import { createVisitorLimits, UNKNOWN_LIMIT, VISITOR_LIMITS } from './visitor-limits.ts';

const START = 1_794_700_000_000;
const PAYER = '192.0.2.1';
const INVOICE = 'TID-A';

const times = (count: number) => Array.from({ length: count }, (_unused, index) => index);

function admitted(
  limits: VisitorLimits,
  visit: Visit,
  count: number,
  address: (index: number) => string,
  at = INVOICE,
) {
  return times(count).filter((index) => limits.admit(visit, clientNetworks(address(index)), at) !== 'refused').length;
}

function guessed(limits: VisitorLimits, count: number, address: (index: number) => string): number {
  return times(count).filter((index) => limits.admitUnknown(clientNetworks(address(index)))).length;
}

const v4 = (index: number) => `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
const inSite = (index: number) => `2001:db8:1:${index.toString(16)}::1`;
const inPart = (index: number) => `2001:db8:1:${(0x1200 + (index % 256)).toString(16)}::1`;

describe('codes that belong to no invoice', () => {
  test('are limited per address and minute, and do not affect another address', () => {
    const clock = createManualClock(START);
    const limits = createVisitorLimits(clock);
    expect(guessed(limits, UNKNOWN_LIMIT + 5, () => PAYER)).toBe(UNKNOWN_LIMIT);
    expect(guessed(limits, 1, () => '192.0.2.2')).toBe(1);
    clock.advance(WINDOW_SECONDS * 1000);
    expect(guessed(limits, 1, () => PAYER)).toBe(1);
  });

  test.each([
    ['a /64', (index: number) => `2001:db8:1:2::${index.toString(16)}`, UNKNOWN_LIMIT],
    ['a /56', inPart, UNKNOWN_LIMIT * 4],
    ['a /48', inSite, UNKNOWN_LIMIT * 16],
  ])('of %s count together, whatever the address', (_name, address, most) => {
    expect(guessed(createVisitorLimits(createManualClock(START)), 5_000, address)).toBe(most);
  });

  test('never get a real invoice refused, neither for their sender nor when the memory for addresses is full', () => {
    const limits = createVisitorLimits(createManualClock(START), 10);
    guessed(limits, UNKNOWN_LIMIT * 2, () => PAYER);
    guessed(limits, 5_000, v4);
    expect(admitted(limits, 'read', 3, () => PAYER)).toBe(3);
    expect(admitted(limits, 'read', 500, (index) => `203.0.113.${index % 250}`)).toBe(500);
  });

  test('from addresses that no longer fit into memory share one limit', () => {
    const limits = createVisitorLimits(createManualClock(START), 10);
    guessed(limits, 10, v4);
    expect(guessed(limits, 5_000, (index) => v4(index + 10))).toBe(UNKNOWN_LIMIT * 20);
  });
});

describe('visits to an invoice', () => {
  test.each<Visit>(['read', 'select', 'check'])('%s: each visitor has their own limit', (visit) => {
    const limits = createVisitorLimits(createManualClock(START));
    const { visitor } = VISITOR_LIMITS[visit];
    expect(admitted(limits, visit, visitor + 5, () => PAYER)).toBe(visitor);
    expect(limits.isOver(visit, clientNetworks(PAYER), INVOICE)).toBe(true);
    expect(limits.isOver(visit, clientNetworks(PAYER), 'TID-B')).toBe(false);
  });

  test.each<Visit>(['read', 'select', 'check'])('%s: no number of strangers gets a known visitor refused', (visit) => {
    const limits = createVisitorLimits(createManualClock(START));
    expect(limits.admit('read', clientNetworks(PAYER), INVOICE)).toBe('new');
    const { newcomers, visitor } = VISITOR_LIMITS[visit];
    expect(admitted(limits, visit, 3_000, v4)).toBe(visit === 'read' ? newcomers - 1 : newcomers);
    expect(admitted(limits, visit, visitor - 1, () => PAYER)).toBe(visitor - 1);
  });

  test.each<Visit>(['read', 'select', 'check'])(
    '%s: a stranger who was refused is still a stranger the next time',
    (visit) => {
      const limits = createVisitorLimits(createManualClock(START));
      const { newcomers } = VISITOR_LIMITS[visit];
      expect(admitted(limits, visit, newcomers, v4)).toBe(newcomers);
      expect(admitted(limits, visit, 3, () => PAYER)).toBe(0);
    },
  );

  test('a visitor stays known while they keep coming, and is forgotten an hour later', () => {
    const clock = createManualClock(START);
    const limits = createVisitorLimits(clock);
    const visit = () => limits.admit('read', clientNetworks(PAYER), INVOICE);
    expect(visit()).toBe('new');
    for (let half = 0; half < 6; half += 1) {
      clock.advance(29 * 60_000);
      expect(visit()).toBe('known');
    }
    clock.advance(61 * 60_000);
    expect(visit()).toBe('new');
  });

  test('a stranger with one code uses at most a tenth of the limit of their address', () => {
    const limits = createVisitorLimits(createManualClock(START));
    const most = VISITOR_LIMITS.read.address;
    admitted(limits, 'read', most * 2, () => PAYER);
    expect(VISITOR_LIMITS.read.visitor).toBeLessThanOrEqual(most / 10);
    expect(admitted(limits, 'read', 100, () => PAYER, 'TID-B')).toBe(100);
  });

  test('an address is refused when all of its invoices together are too many, and so is a /48', () => {
    const limits = createVisitorLimits(createManualClock(START));
    const { address } = VISITOR_LIMITS.check;
    const checks = (count: number, from: (index: number) => string) =>
      times(count).filter((index) => limits.admit('check', clientNetworks(from(index)), `TID-${index}`) !== 'refused');
    expect(checks(address + 10, () => PAYER)).toHaveLength(address);
    expect(checks(5_000, inSite)).toHaveLength(address * 16);
  });

  test('memory is bounded: when it is full, invoices are shown without being counted', () => {
    const limits = createVisitorLimits(createManualClock(START), 10);
    const shown = times(1_000).filter(
      (index) => limits.admit('read', clientNetworks(v4(index)), `TID-${index}`) !== 'refused',
    );
    expect(shown).toHaveLength(1_000);
  });
});

test('a customer on a phone with several tabs stays far below the limits', () => {
  const polled = 60 / 4;
  expect(VISITOR_LIMITS.read.visitor).toBeGreaterThan(5 * 3 * polled);
  expect(VISITOR_LIMITS.read.address).toBeGreaterThan(20 * 3 * polled);
});
