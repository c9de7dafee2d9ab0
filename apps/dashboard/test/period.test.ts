import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { expect, test } from 'vitest';
import { spanOf as spanOfMonth } from '../src/pages/balance/month.ts';
import { spanOf } from '../src/pages/exports/period.ts';

/** A moment at which it is still October for the reader, an hour west of Greenwich, and November in UTC. */
class WesternDate extends Date {
  override getMonth(): number {
    return 9;
  }
  override getDate(): number {
    return 31;
  }
}

const NOW = new WesternDate('2026-11-01T00:30:00Z');

test('the last month of an export is the month of the balance statement, whatever the reader’s time zone', () => {
  expect(spanOf('lastMonth', NOW)).toEqual(spanOfMonth('2026-10', NOW.getTime()).seconds);
  expect(spanOf('month', NOW).from).toBe(spanOfMonth('2026-11', NOW.getTime()).seconds.from);
});

test('the last 30 days of an export begin at midnight UTC', () => {
  expect(spanOf('days30', NOW).from).toBe(Date.parse('2026-10-02T00:00:00Z') / SECOND_MS);
});
