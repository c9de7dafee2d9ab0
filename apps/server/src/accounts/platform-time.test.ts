import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { platformTime } from './platform-time.ts';

const BASE = 'https://api.example.com';

/** A platform whose clock is not moved by ours. */
function openTime() {
  const clock = createManualClock(5_000_000_000);
  const platform = { nowMs: 7_000_000_000, reads: 0 };
  const readTime = async () => {
    platform.reads += 1;
    return platform.nowMs;
  };
  const follower = { clock, source: { readTime }, memory: { measured: new Map() } };
  return { clock, platform, read: () => platformTime(follower, BASE) };
}

test('a platform is asked for its time once a minute, and our clock counts in between', async () => {
  const { clock, platform, read } = openTime();
  expect(await read()).toEqual({ nowMs: 7_000_000_000, measuredMs: 7_000_000_000 });
  clock.advance(59_999);
  expect(await read()).toEqual({ nowMs: 7_000_059_999, measuredMs: 7_000_000_000 });
  expect(platform.reads).toBe(1);
  clock.advance(1);
  platform.nowMs += 60_000;
  expect(await read()).toEqual({ nowMs: 7_000_060_000, measuredMs: 7_000_060_000 });
});

test('a platform is asked for its time again after our clock was set back', async () => {
  const { clock, platform, read } = openTime();
  await read();
  clock.advance(-3_600_000);
  platform.nowMs += 2_000;
  expect(await read()).toEqual({ nowMs: 7_000_002_000, measuredMs: 7_000_002_000 });
});
