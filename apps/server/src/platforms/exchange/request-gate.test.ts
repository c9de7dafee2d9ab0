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
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
    clock.advance(ms);
  };
  return { clock, told, waits, gate: createRequestGate({ clock, wait, onPause: (pause) => told.push(pause) }) };
}

/** The refusal of a request by the gate; undefined when the request was let through. */
async function refusalOf(enter: () => Promise<void>): Promise<SourceError | undefined> {
  try {
    await enter();
    return undefined;
  } catch (cause) {
    if (cause instanceof SourceError) return cause;
    throw cause;
  }
}

describe('quotas', () => {
  test('half of a quota is let through, and the next request is told when the window ends', async () => {
    const { clock, gate } = openGate();
    for (let count = 0; count < 5; count += 1) await gate.enter(entry());
    clock.advance(20_000);
    expect(await refusalOf(() => gate.enter(entry()))).toMatchObject({ kind: 'rate', retryAfterMs: 40_000 });
    clock.advance(40_000);
    expect(await refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });

  test('no window of the platform, wherever it begins, sees more than its quota', async () => {
    const { clock, gate } = openGate();
    const passedAt: number[] = [];
    for (let second = 0; second < 600; second += 1) {
      if ((await refusalOf(() => gate.enter(entry()))) === undefined) passedAt.push(clock.nowMs());
      clock.advance(1_000);
    }
    const most = passedAt.map((start) => passedAt.filter((at) => at >= start && at < start + 60_000).length);
    expect(passedAt.length).toBeGreaterThan(40);
    expect(Math.max(...most)).toBeLessThanOrEqual(QUOTA.limit);
  });

  test('accounts, quotas and base addresses are counted one by one; a heavy request counts by its weight', async () => {
    const { gate } = openGate();
    await gate.enter(entry({ weight: 5 }));
    expect((await refusalOf(() => gate.enter(entry())))?.kind).toBe('rate');
    for (const other of [{ account: 'second' }, { account: undefined }, { baseUrl: OTHER }])
      expect(await refusalOf(() => gate.enter(entry(other)))).toBeUndefined();
    expect(await refusalOf(() => gate.enter(entry({ quota: { ...QUOTA, name: 'key' } })))).toBeUndefined();
  });

  test('a clock that was set back does not keep a window open', async () => {
    const { clock, gate } = openGate();
    await gate.enter(entry({ weight: 5 }));
    clock.advance(-500_000);
    expect(await refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });
});

/** A quota of our IP address: a single process has a turn every 40 ms, and 125 turns without waiting after a rest. */
const ADDRESS = { name: 'address', limit: 1_000, windowMs: 30_000 };
const ofAddress = (facts: Partial<GateEntry> = {}) => entry({ account: undefined, quota: ADDRESS, ...facts });

describe('turns of our address', () => {
  test('requests of our address wait for their turn instead of being refused', async () => {
    const { gate, waits } = openGate();
    for (let count = 0; count < 18; count += 1) await gate.enter(ofAddress());
    // A process that has just started has 15 turns without waiting.
    expect(waits).toEqual([15, 40, 40]);
  });

  test('after a rest an eighth of the quota goes without waiting', async () => {
    const { clock, gate, waits } = openGate();
    await gate.enter(ofAddress());
    clock.advance(60_000);
    for (let count = 0; count < 125; count += 1) await gate.enter(ofAddress());
    expect(waits).toEqual([]);
    await gate.enter(ofAddress());
    expect(waits).toEqual([40]);
  });

  test('processes that share our address have a part each, and a heavy request waits by its weight', async () => {
    const { gate, waits } = openGate();
    gate.shareWith(3);
    for (let count = 0; count < 5; count += 1) await gate.enter(ofAddress());
    expect(waits).toEqual([]);
    for (const weight of [1, 1, 5]) await gate.enter(ofAddress({ weight }));
    expect(waits).toEqual([95, 120, 600]);
  });

  test.each([1, 2, 5])('%i busy processes never exceed a quota, wherever its window begins', async (processes) => {
    const clock = createManualClock(1_000_000);
    const sentAt: number[] = [];
    for (let process = 0; process < processes; process += 1) {
      const own = createManualClock(clock.nowMs());
      const gate = createRequestGate({ clock: own, wait: async (ms) => own.advance(ms) });
      gate.shareWith(processes);
      // Half of the processes have rested, and begin with a burst.
      if (process % 2 === 0) {
        await gate.enter(ofAddress());
        own.advance(ADDRESS.windowMs);
      }
      while (own.nowMs() < clock.nowMs() + 4 * ADDRESS.windowMs) {
        await gate.enter(ofAddress());
        sentAt.push(own.nowMs());
      }
    }
    const windows = sentAt.map((start) => sentAt.filter((at) => at >= start && at < start + ADDRESS.windowMs).length);
    expect(Math.max(...windows)).toBeLessThanOrEqual(ADDRESS.limit);
    expect(sentAt.length).toBeGreaterThan(ADDRESS.limit);
  });

  test('who would wait for too long is told when to come again, and takes nobody’s turn', async () => {
    const clock = createManualClock(1_000_000);
    // Waits end immediately while the clock is stopped.
    const gate = createRequestGate({ clock, wait: () => Promise.resolve() });
    for (let count = 0; count < 140; count += 1) await gate.enter(ofAddress());
    for (let count = 0; count < 2; count += 1)
      expect(await refusalOf(() => gate.enter(ofAddress()))).toMatchObject({ kind: 'rate', retryAfterMs: 5_015 });
  });

  test('a clock that was set back closes no turns: the next one comes as usual', async () => {
    const { clock, gate, waits } = openGate();
    for (let count = 0; count < 20; count += 1) await gate.enter(ofAddress());
    clock.advance(-3_600_000);
    waits.length = 0;
    for (let count = 0; count < 3; count += 1) await gate.enter(ofAddress());
    expect(waits).toEqual([40, 40, 40]);
  });

  test('all hosts of a platform take turns together', async () => {
    const { gate, waits } = openGate();
    for (let count = 0; count < 15; count += 1) await gate.enter(ofAddress());
    await gate.enter(ofAddress({ baseUrl: OTHER }));
    expect(waits).toEqual([15]);
  });

  test('a pause that begins while a request waits stops it', async () => {
    const clock = createManualClock(1_000_000);
    const gate = createRequestGate({
      clock,
      wait: async (ms) => {
        clock.advance(ms);
        gate.observe({ baseUrl: BASE, untilMs: clock.nowMs() + 30_000 });
      },
    });
    for (let count = 0; count < 15; count += 1) await gate.enter(ofAddress());
    expect(await refusalOf(() => gate.enter(ofAddress()))).toMatchObject({ kind: 'rate', retryAfterMs: 30_000 });
  });
});

describe('pauses', () => {
  test('a pause of an address stops all accounts there, and nothing elsewhere', async () => {
    const { clock, gate, told } = openGate();
    const pause = { baseUrl: BASE, untilMs: clock.nowMs() + 30_000 };
    gate.observe(pause);
    expect(told).toEqual([pause]);
    expect(gate.pausedUntil(BASE)).toBe(pause.untilMs);
    for (const account of ['first', 'second', undefined])
      expect(await refusalOf(() => gate.enter(entry({ account })))).toMatchObject({
        kind: 'rate',
        retryAfterMs: 30_000,
      });
    expect(await refusalOf(() => gate.enter(entry({ baseUrl: OTHER })))).toBeUndefined();
    clock.advance(30_000);
    expect(gate.pausedUntil(BASE)).toBeUndefined();
    expect(await refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });

  test('a pause of one account stops only that account', async () => {
    const { clock, gate } = openGate();
    gate.observe({ baseUrl: BASE, account: 'first', untilMs: clock.nowMs() + 1_000 });
    expect((await refusalOf(() => gate.enter(entry())))?.kind).toBe('rate');
    expect(await refusalOf(() => gate.enter(entry({ account: 'second' })))).toBeUndefined();
    expect(gate.pausedUntil(BASE)).toBeUndefined();
  });

  test('a pause that another process was told of holds here, and is not told again', async () => {
    const { clock, gate, told } = openGate();
    gate.pauseUntil(BASE, clock.nowMs() + 1_000);
    expect((await refusalOf(() => gate.enter(entry())))?.kind).toBe('rate');
    expect(told).toEqual([]);
  });

  test('a shorter pause does not end a longer one, and none lasts for ever', async () => {
    const { clock, gate } = openGate();
    gate.pauseUntil(BASE, clock.nowMs() + 10_000);
    gate.pauseUntil(BASE, clock.nowMs() + 1_000);
    expect(gate.pausedUntil(BASE)).toBe(clock.nowMs() + 10_000);
    gate.pauseUntil(BASE, Number.MAX_SAFE_INTEGER);
    expect(gate.pausedUntil(BASE)).toBe(clock.nowMs() + 3 * 86_400_000);
  });

  test('a pause of one host of Bybit holds at the other, which counts our address with it; regions of OKX are on their own', async () => {
    const { clock, gate } = openGate();
    const untilMs = clock.nowMs() + 30_000;
    gate.observe({ baseUrl: 'https://api.bybit.com', untilMs });
    expect(gate.pausedUntil('https://api.bytick.com')).toBe(untilMs);
    gate.observe({ baseUrl: 'https://www.okx.com', untilMs });
    expect(gate.pausedUntil('https://my.okx.com')).toBeUndefined();
  });

  test('a pause lasts as long as it was asked for, also when the clock is set back', async () => {
    const { clock, gate } = openGate();
    gate.observe({ baseUrl: BASE, untilMs: clock.nowMs() + 30_000 });
    clock.advance(-500_000);
    expect((await refusalOf(() => gate.enter(entry())))?.retryAfterMs).toBe(30_000);
    clock.advance(30_000);
    expect(await refusalOf(() => gate.enter(entry()))).toBeUndefined();
  });

  test('a refusal names the origin alone', async () => {
    const { clock, gate } = openGate();
    gate.pauseUntil(BASE, clock.nowMs() + 1_000);
    const refusal = await refusalOf(() => gate.enter(entry({ account: 'SECRETKEY' })));
    expect(refusal?.message).toBe('https://api.example.com is not asked now: it asked for a pause.');
  });
});
