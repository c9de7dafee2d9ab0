import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { createRecentPages } from './recent-pages.ts';

test('a page is rendered once in half a second for all equal requests', () => {
  const clock = createManualClock(10_000);
  const recent = createRecentPages(clock);
  let made = 0;
  const ask = (key: string) => recent(key, () => `${key} ${(made += 1)}`);
  expect([ask('a'), ask('a'), ask('b'), ask('a')]).toEqual(['a 1', 'a 1', 'b 2', 'a 1']);
  clock.advance(499);
  expect(ask('a')).toBe('a 1');
  clock.advance(1);
  expect(ask('a')).toBe('a 3');
});

test('no more than a hundred rendered pages are kept', () => {
  const recent = createRecentPages(createManualClock(0));
  for (let page = 0; page <= 100; page += 1) recent(String(page), () => 'old');
  expect(recent('0', () => 'new')).toBe('new');
  expect(recent('100', () => 'new')).toBe('old');
});
