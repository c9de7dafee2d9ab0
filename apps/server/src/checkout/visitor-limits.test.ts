import { describe, expect, test } from 'vitest';
import { clientNetworks, clientSurroundings } from '../lib/client-address.ts';
import { createManualClock } from '../lib/clock.ts';
import { WINDOW_SECONDS } from './visit-counts.ts';
import type { Visit, VisitorLimits } from './visitor-limits.ts';
import { createVisitorLimits, RESERVED, UNKNOWN_LIMIT, VISITOR_LIMITS } from './visitor-limits.ts';

const START = 1_794_700_000_000;
const PAYER = '192.0.2.1';
const INVOICE = 'TID-A';

const visitorAt = (address: string) => ({ client: clientNetworks(address), around: clientSurroundings(address) });

const times = (count: number) => Array.from({ length: count }, (_unused, index) => index);

function admitted(
  limits: VisitorLimits,
  visit: Visit,
  count: number,
  address: (index: number) => string,
  at = INVOICE,
) {
  return times(count).filter((index) => limits.admit(visit, visitorAt(address(index)), at) !== 'refused').length;
}

function guessed(limits: VisitorLimits, count: number, address: (index: number) => string): number {
  return times(count).filter((index) => limits.admitUnknown(clientNetworks(address(index)))).length;
}

const v4 = (index: number) => `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
const inSite = (index: number) => `2001:db8:1:${index.toString(16)}::1`;
const anywhere = (index: number) => `${(index >> 8) + 20}.${index & 255}.0.1`;
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
    expect(limits.admit('read', visitorAt(PAYER), INVOICE)).toBe('new');
    const { newcomers, visitor } = VISITOR_LIMITS[visit];
    expect(admitted(limits, visit, 3_000, inSite)).toBe(
      (visit === 'read' ? newcomers - 1 : newcomers) + RESERVED[visit].site,
    );
    expect(admitted(limits, visit, visitor - 1, () => PAYER)).toBe(visitor - 1);
  });

  test.each<Visit>(['read', 'select', 'check'])(
    '%s: a stranger who was refused is still a stranger the next time',
    (visit) => {
      const limits = createVisitorLimits(createManualClock(START));
      const most = VISITOR_LIMITS[visit].newcomers + RESERVED[visit].site;
      expect(admitted(limits, visit, most, inSite)).toBe(most);
      expect(admitted(limits, visit, 3, () => inSite(most))).toBe(0);
    },
  );

  test.each<Visit>(['read', 'select', 'check'])(
    '%s: fresh networks of one site, or of one provider, do not use up what new visitors elsewhere have',
    (visit) => {
      const { newcomers } = VISITOR_LIMITS[visit];
      const { site, block, all } = RESERVED[visit];
      const limits = createVisitorLimits(createManualClock(START));
      expect(admitted(limits, visit, 2_000, inSite)).toBe(newcomers + site);
      expect(admitted(limits, visit, 1, () => '2001:db8:2::1')).toBe(1);
      const sites = Math.ceil(block / site) + 2;
      const inBlock = (index: number) => `2001:db8:${(3 + (index % sites)).toString(16)}:${index.toString(16)}::1`;
      expect(admitted(limits, visit, 2_000, inBlock)).toBe(block - site - 1);
      expect(admitted(limits, visit, 1, () => '2001:db9::1')).toBe(1);
      expect(admitted(limits, visit, 1, () => PAYER)).toBe(1);
      expect(admitted(limits, visit, 4_000, anywhere)).toBe(all - block - 2);
    },
  );

  test('a crowd from one provider leaves places among the visitors that an invoice remembers', () => {
    const limits = createVisitorLimits(createManualClock(START));
    admitted(limits, 'read', 400, inSite);
    expect(limits.admit('read', visitorAt(inSite(300)), INVOICE)).toBe('new');
    for (const customer of [PAYER, '2001:db9::1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
      expect(limits.admit('read', visitorAt(customer), INVOICE)).toBe('new');
      expect(limits.admit('read', visitorAt(customer), INVOICE)).toBe('known');
    }
    expect(limits.admit('read', visitorAt('192.0.2.5'), INVOICE)).toBe('new');
    expect(limits.admit('read', visitorAt('192.0.2.5'), INVOICE)).toBe('new');
  });

  test('a visitor stays known while they keep coming, and is forgotten an hour later', () => {
    const clock = createManualClock(START);
    const limits = createVisitorLimits(clock);
    const visit = () => limits.admit('read', visitorAt(PAYER), INVOICE);
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
      times(count).filter((index) => limits.admit('check', visitorAt(from(index)), `TID-${index}`) !== 'refused');
    expect(checks(address + 10, () => PAYER)).toHaveLength(address);
    expect(checks(5_000, inSite)).toHaveLength(address * 16);
  });

  test('memory is bounded: when it is full, invoices are shown without being counted', () => {
    const limits = createVisitorLimits(createManualClock(START), 10);
    const shown = times(1_000).filter(
      (index) => limits.admit('read', visitorAt(v4(index)), `TID-${index}`) !== 'refused',
    );
    expect(shown).toHaveLength(1_000);
  });
});

test('a customer on a phone with several tabs stays far below the limits', () => {
  const polled = 60 / 4;
  expect(VISITOR_LIMITS.read.visitor).toBeGreaterThan(5 * 3 * polled);
  expect(VISITOR_LIMITS.read.address).toBeGreaterThan(20 * 3 * polled);
});
