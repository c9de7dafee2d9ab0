import { describe, expect, test } from 'vitest';
import { addCounts, SPANS } from '../days/histogram.ts';
import type { Sums } from './figures.ts';
import { addFigures } from './figures.ts';
import { groupDays } from './list-days.ts';

const sums = (changes: Partial<Sums> = {}): Sums => ({
  created: 0,
  completed: 0,
  expired: 0,
  cancelled: 0,
  late: 0,
  volumeUsd: '0',
  feeMicroUsd: 0n,
  detectCounts: addCounts([]),
  finalCounts: addCounts([]),
  ...changes,
});
const only = (place: number, count: number) => Array.from({ length: SPANS }, (_none, at) => (at === place ? count : 0));

describe('figures', () => {
  test('of no days are nothing, and nothing is unknown', () => {
    expect(addFigures([])).toEqual({
      created: 0,
      completed: 0,
      expired: 0,
      cancelled: 0,
      late: 0,
      successPermille: null,
      volumeUsd: '0.00',
      feeUsd: '0.00',
      detect: { medianMs: null, p95Ms: null },
      final: { medianMs: null, p95Ms: null },
    });
  });

  test('of several days are added exactly', () => {
    const added = addFigures([
      sums({ created: 3, completed: 1, late: 1, volumeUsd: '0.00000001', feeMicroUsd: 1n, detectCounts: only(0, 1) }),
      sums({ created: 1, completed: 1, expired: 1, volumeUsd: '999999999999.1', feeMicroUsd: 10n ** 15n }),
    ]);
    expect(added).toMatchObject({ created: 4, completed: 2, expired: 1, late: 1, successPermille: 666 });
    expect(added).toMatchObject({ volumeUsd: '999999999999.10000001', feeUsd: '1000000000.000001' });
    expect(added.detect).toEqual({ medianMs: 500, p95Ms: 950 });
    expect(added.final).toEqual({ medianMs: null, p95Ms: null });
  });

  test.each([
    [999, 1, 999],
    [9_999, 1, 999],
    [1, 0, 1_000],
    [0, 5, 0],
  ])('tell %i completed and %i expired as %i of a thousand', (completed, expired, permille) => {
    expect(addFigures([sums({ completed, expired })]).successPermille).toBe(permille);
  });
});

const row = (day: string, network: string, completed: number) => ({
  day,
  network,
  token: network && 'USDT',
  created: network ? 0 : 2,
  completed,
  expired: network ? 0 : 1,
  cancelled: 0,
  late: 0,
  volumeUsd: `${completed}.5`,
  feeMicroUsd: BigInt(completed),
});

describe('days of a store', () => {
  const rows = [
    row('2026-11-17', '', 0),
    row('2026-11-17', 'A', 1),
    row('2026-11-17', 'B', 2),
    row('2026-11-16', 'A', 4),
  ];

  test('have the sum of their methods, and list only methods that were paid with', () => {
    const [first, second] = groupDays(rows, true);
    expect(first).toMatchObject({ day: '2026-11-17', created: 2, completed: 3, expired: 1, volumeUsd: '4.50' });
    expect(first?.methods.map(({ network, feeUsd }) => [network, feeUsd])).toEqual([
      ['A', '0.000001'],
      ['B', '0.000002'],
    ]);
    expect(second).toMatchObject({ day: '2026-11-16', completed: 4, feeUsd: '0.000004' });
  });

  test('show no fees to those who may not see them', () => {
    expect(JSON.stringify(groupDays(rows, false))).not.toContain('0.00000');
  });
});
