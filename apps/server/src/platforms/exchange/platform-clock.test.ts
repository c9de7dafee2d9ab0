import { expect, test } from 'vitest';
import type { Clock } from '../../lib/clock.ts';
import { createManualClock } from '../../lib/clock.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { createPlatformClock } from './platform-clock.ts';

const BASE = 'https://api.example.com';

function openClock(skewMs: number, readMs = 0) {
  const clock = createManualClock(5_000_000);
  const state = { skewMs, reads: 0, fails: false };
  const platform = createPlatformClock(clock, async () => {
    state.reads += 1;
    if (state.fails) throw new SourceError('unavailable', 'away');
    const answer = clock.nowMs() + state.skewMs;
    clock.advance(readMs);
    return answer;
  });
  return { clock, state, platform };
}

const give = (clock: Clock) => Promise.resolve(clock.nowMs());

test('requests carry the time of the platform, which is measured once a minute', async () => {
  const { clock, state, platform } = openClock(90_000);
  expect(await platform.withClock(BASE, give)).toBe(clock.nowMs() + 90_000);
  clock.advance(59_000);
  expect(await platform.withClock(BASE, give)).toBe(clock.nowMs() + 90_000);
  expect(state.reads).toBe(1);
  clock.advance(1_000);
  await platform.withClock(BASE, give);
  expect(state.reads).toBe(2);
});

test('requests at the same moment share one measurement', async () => {
  const { state, platform } = openClock(0);
  await Promise.all([platform.withClock(BASE, give), platform.withClock(BASE, give)]);
  expect(state.reads).toBe(1);
});

test('an answer that was long under way never puts us ahead of the platform', async () => {
  const { clock, platform } = openClock(0, 4_000);
  expect(await platform.withClock(BASE, give)).toBe(clock.nowMs() - 4_000);
});

test('a refused time is measured anew and tried once more, and then given up', async () => {
  const { clock, state, platform } = openClock(0);
  await platform.withClock(BASE, give);
  state.skewMs = 60_000;
  const times: number[] = [];
  const refuse = (own: Clock) => {
    times.push(own.nowMs() - clock.nowMs());
    return Promise.reject(new SourceError('not-yet', 'the time'));
  };
  await expect(platform.withClock(BASE, refuse)).rejects.toMatchObject({ kind: 'not-yet' });
  expect(times).toEqual([0, 60_000]);
  expect(state.reads).toBe(2);
});

test('other failures are not tried again, and a failed measurement is not kept', async () => {
  const { state, platform } = openClock(0);
  let asked = 0;
  const fail = () => {
    asked += 1;
    return Promise.reject(new SourceError('unavailable', 'down'));
  };
  await expect(platform.withClock(BASE, fail)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(asked).toBe(1);
  const other = openClock(0);
  other.state.fails = true;
  await expect(other.platform.withClock(BASE, give)).rejects.toThrow('away');
  other.state.fails = false;
  expect(await other.platform.withClock(BASE, give)).toBe(other.clock.nowMs());
  expect(state.reads).toBe(1);
});

test('a platform is measured anew after our clock was set back', async () => {
  const { clock, state, platform } = openClock(0);
  await platform.withClock(BASE, give);
  clock.advance(-3_600_000);
  state.skewMs = 3_600_000;
  expect(await platform.withClock(BASE, give)).toBe(clock.nowMs() + 3_600_000);
  expect(state.reads).toBe(2);
});
