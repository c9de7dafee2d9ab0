import { expect, test } from 'vitest';
import type { DatabaseClockMemory, TimeSample } from './database-clock.ts';
import { newDatabaseClock, noteDatabaseTime, trustsAges } from './database-clock.ts';

const AGE_MS = 15_000;
const HOUR_MS = 3_600_000;
const sample = (databaseMs: number, beforeMs: number, tookMs = 1): TimeSample => ({
  databaseMs,
  beforeMs,
  afterMs: beforeMs + tookMs,
});

test.each<[string, TimeSample[], boolean]>([
  ['one sample says nothing', [sample(5_000, 0)], true],
  ['clocks that run alike are trusted', [sample(5_000, 0), sample(65_000, 60_000)], true],
  ['a second of difference is tolerated', [sample(5_000, 0), sample(66_000, 60_000)], true],
  ['seconds of difference over hours are tolerated', [sample(0, 0), sample(HOUR_MS + 4_000, HOUR_MS)], true],
  ['a slow statement is no jump', [sample(5_000, 0), sample(9_000, 1_000, 5_000)], true],
  ['a prompt statement after a slow one is no jump', [sample(0, 0, 5_000), sample(9_000, 9_000)], true],
  ['a jump by a minute is noticed', [sample(5_000, 0), sample(75_000, 10_000)], false],
  ['a jump back is no jump forward', [sample(65_000, 0), sample(15_000, 10_000)], true],
  ['a jump is noticed after a jump back', [sample(65_000, 0), sample(15_000, 10_000), sample(80_000, 15_000)], false],
])('%s', (_title, samples, trusted) => {
  const memory: DatabaseClockMemory = { databaseClock: newDatabaseClock() };
  for (const one of samples) noteDatabaseTime(memory, one, AGE_MS);
  const nowMs = samples.at(-1)?.afterMs ?? 0;
  expect(trustsAges(memory, { nowMs: () => nowMs })).toBe(trusted);
});

test('ages are trusted again when reads from before the jump are old by any clock', () => {
  const memory: DatabaseClockMemory = { databaseClock: newDatabaseClock() };
  for (const one of [sample(5_000, 0), sample(75_000, 10_000)]) noteDatabaseTime(memory, one, AGE_MS);
  const at = (nowMs: number) => trustsAges(memory, { nowMs: () => nowMs });
  expect([at(10_001), at(25_000), at(25_001)]).toEqual([false, false, true]);
});
