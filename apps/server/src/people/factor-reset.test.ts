import { describe, expect, test } from 'vitest';
import { decideReset, effectiveAt } from './factor-reset.ts';

const NOW = new Date('2026-03-04T05:06:07Z');
const OPEN = { effectiveAt: NOW, stoppedAt: null, appliedAt: null };

describe('a reset of factors', () => {
  test('takes effect a day after it was asked for', () => {
    expect(effectiveAt(NOW)).toEqual(new Date('2026-03-05T05:06:07Z'));
  });

  test.each([
    ['that nobody asked for does nothing', undefined, 'over'],
    ['waits until its time', { ...OPEN, effectiveAt: new Date(NOW.getTime() + 1) }, 'wait'],
    ['is applied from its time on', OPEN, 'apply'],
    ['that was stopped does nothing', { ...OPEN, stoppedAt: NOW }, 'over'],
    ['that was applied does nothing again', { ...OPEN, appliedAt: NOW }, 'over'],
  ] as const)('%s', (_title, reset, expected) => {
    expect(decideReset(reset, NOW)).toBe(expected);
  });
});
