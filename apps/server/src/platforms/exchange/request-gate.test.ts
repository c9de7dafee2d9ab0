import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../lib/clock.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { GateEntry, Pause } from './request-gate.ts';
import { createRequestGate } from './request-gate.ts';

const BASE = 'https://api.example.com';
const OTHER = 'https://other.example.com';
const QUOTA = { name: 'rows', limit: 10, windowMs: 60_000 };
const entry = (facts: Partial<GateEntry> = {}): GateEntry => ({
  baseUrl: BASE,
  account: 'first',
  quota: QUOTA,
  weight: 1,
  ...facts,
});

function openGate() {
  const clock = createManualClock(1_000_000);
  const told: Pause[] = [];
  return { clock, told, gate: createRequestGate({ clock, onPause: (pause) => told.push(pause) }) };
}

/** The refusal of an entry; undefined when it was let through. */
function refusalOf(enter: () => void): SourceError | undefined {
  try {
    enter();
    return undefined;
  } catch (cause) {
    if (cause instanceof SourceError) return cause;
    throw cause;
  }
}

describe('quotas', () => {
  test('half of a quota is let through, and the next request is told when the window ends', () => {
    const { clock, gate } = openGate();
    for (let count = 0; count < 5; count += 1) gate.enter(entry());
    clock.advance(20_000);
    expect(refusalOf(() => gate.enter(entry()))).toMatchObject({ kind: 'rate', retryAfterMs: 40_000 });
    clock.advance(40_000);
    expect(refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });

  test('no window of the platform, wherever it begins, sees more than its quota', () => {
    const { clock, gate } = openGate();
    const passedAt: number[] = [];
    for (let second = 0; second < 600; second += 1) {
      if (refusalOf(() => gate.enter(entry())) === undefined) passedAt.push(clock.nowMs());
      clock.advance(1_000);
    }
    const most = passedAt.map((start) => passedAt.filter((at) => at >= start && at < start + 60_000).length);
    expect(passedAt.length).toBeGreaterThan(40);
    expect(Math.max(...most)).toBeLessThanOrEqual(QUOTA.limit);
  });

  test('accounts, quotas and base addresses are counted one by one; a heavy request counts by its weight', () => {
    const { gate } = openGate();
    gate.enter(entry({ weight: 5 }));
    expect(refusalOf(() => gate.enter(entry()))?.kind).toBe('rate');
    for (const other of [{ account: 'second' }, { account: undefined }, { baseUrl: OTHER }])
      expect(refusalOf(() => gate.enter(entry(other)))).toBeUndefined();
    expect(refusalOf(() => gate.enter(entry({ quota: { ...QUOTA, name: 'key' } })))).toBeUndefined();
  });

  test('a clock that was set back does not keep a window open', () => {
    const { clock, gate } = openGate();
    gate.enter(entry({ weight: 5 }));
    clock.advance(-500_000);
    expect(refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });
});

describe('pauses', () => {
  test('a pause of an address stops all accounts there, and nothing elsewhere', () => {
    const { clock, gate, told } = openGate();
    const pause = { baseUrl: BASE, untilMs: clock.nowMs() + 30_000 };
    gate.observe(pause);
    expect(told).toEqual([pause]);
    expect(gate.pausedUntil(BASE)).toBe(pause.untilMs);
    for (const account of ['first', 'second', undefined])
      expect(refusalOf(() => gate.enter(entry({ account })))).toMatchObject({ kind: 'rate', retryAfterMs: 30_000 });
    expect(refusalOf(() => gate.enter(entry({ baseUrl: OTHER })))).toBeUndefined();
    clock.advance(30_000);
    expect(gate.pausedUntil(BASE)).toBeUndefined();
    expect(refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });

  test('a pause of one account stops only that account', () => {
    const { clock, gate } = openGate();
    gate.observe({ baseUrl: BASE, account: 'first', untilMs: clock.nowMs() + 1_000 });
    expect(refusalOf(() => gate.enter(entry()))?.kind).toBe('rate');
    expect(refusalOf(() => gate.enter(entry({ account: 'second' })))).toBeUndefined();
    expect(gate.pausedUntil(BASE)).toBeUndefined();
  });

  test('a pause that another process was told of holds here, and is not told again', () => {
    const { clock, gate, told } = openGate();
    gate.pauseUntil(BASE, clock.nowMs() + 1_000);
    expect(refusalOf(() => gate.enter(entry()))?.kind).toBe('rate');
    expect(told).toEqual([]);
  });

  test('a shorter pause does not end a longer one, and none lasts for ever', () => {
    const { clock, gate } = openGate();
    gate.pauseUntil(BASE, clock.nowMs() + 10_000);
    gate.pauseUntil(BASE, clock.nowMs() + 1_000);
    expect(gate.pausedUntil(BASE)).toBe(clock.nowMs() + 10_000);
    gate.pauseUntil(BASE, Number.MAX_SAFE_INTEGER);
    expect(gate.pausedUntil(BASE)).toBe(clock.nowMs() + 3 * 86_400_000);
  });

  test('a refusal names the origin alone', () => {
    const { clock, gate } = openGate();
    gate.pauseUntil(BASE, clock.nowMs() + 1_000);
    const message = refusalOf(() => gate.enter(entry({ account: 'SECRETKEY' })))?.message;
    expect(message).toBe('https://api.example.com is not asked now: it asked for a pause.');
  });
});
