import { describe, expect, test } from 'vitest';
import type { MethodDelay } from './method-delay.ts';
import { appliesFrom, decideDelay, delayAt } from './method-delay.ts';

const NOON = Date.parse('2026-11-18T12:00:00Z');
const at = (hours: number) => new Date(NOON + hours * 3_600_000);
const DAY: MethodDelay = { delayHours: 24, shorterHours: null, shorterAt: null };

describe('the delay of payment-method changes', () => {
  test('is lengthened immediately', () => {
    const longer = decideDelay(DAY, 48, at(0));
    expect(longer).toEqual({ delayHours: 48, shorterHours: null, shorterAt: null });
    expect([delayAt(longer, at(0)), appliesFrom(longer, at(0))]).toEqual([48, at(0)]);
  });

  test('is shortened only after the old delay has passed', () => {
    const shorter = decideDelay(DAY, 2, at(0));
    expect(shorter).toEqual({ delayHours: 24, shorterHours: 2, shorterAt: at(24) });
    expect(appliesFrom(shorter, at(1))).toEqual(at(24));
    expect([delayAt(shorter, at(0)), delayAt(shorter, at(23.99)), delayAt(shorter, at(24))]).toEqual([24, 24, 2]);
  });

  test('is not shortened sooner by asking for a longer one first, or twice', () => {
    const shorter = decideDelay(DAY, 2, at(0));
    expect(decideDelay(shorter, 2, at(10))).toBe(shorter);
    expect(decideDelay(shorter, 1, at(10))).toEqual({ delayHours: 24, shorterHours: 1, shorterAt: at(34) });
    const longer = decideDelay(shorter, 48, at(10));
    expect(decideDelay(longer, 2, at(11))).toEqual({ delayHours: 48, shorterHours: 2, shorterAt: at(59) });
  });

  test('that was to be shortened stays as it is when the old one is asked for again', () => {
    const kept = decideDelay(decideDelay(DAY, 2, at(0)), 24, at(23));
    expect(kept).toEqual(DAY);
    expect(delayAt(kept, at(30))).toBe(24);
  });

  test('counts from the shorter one once that applies', () => {
    const shorter = decideDelay(DAY, 12, at(0));
    expect(decideDelay(shorter, 6, at(25))).toEqual({ delayHours: 12, shorterHours: 6, shorterAt: at(37) });
    expect(decideDelay(shorter, 24, at(25))).toEqual(DAY);
    expect(decideDelay(shorter, 12, at(25))).toBe(shorter);
  });
});
