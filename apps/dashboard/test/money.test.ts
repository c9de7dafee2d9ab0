import { describe, expect, test } from 'vitest';
import { columnDecimals } from '../src/language/decimals.ts';
import { linesOf } from '../src/pages/balance/lines.ts';
import { moveMonth, spanOf } from '../src/pages/balance/month.ts';
import { textOn } from '../src/pages/stores/accent.ts';
import { isInUse, recentCalls } from '../src/pages/stores/overlap.ts';

test('a column has the decimals of its longest sum', () => {
  expect([columnDecimals([]), columnDecimals(['1.00', '-0.2475'])]).toEqual([2, 4]);
});

describe('months of a statement', () => {
  test('go over the ends of years', () => {
    expect([moveMonth('2026-12', 1), moveMonth('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  });

  test('end with their last day, or today', () => {
    const nowMs = Date.parse('2026-11-17T23:59:59Z');
    expect(spanOf('2026-11', nowMs).days).toEqual({ from: '2026-11-01', to: '2026-11-17' });
    expect(spanOf('2024-02', nowMs).days).toEqual({ from: '2024-02-01', to: '2024-02-29' });
    expect(spanOf('2024-02', nowMs).seconds.to).toBe(Date.parse('2024-03-01T00:00:00Z') / 1_000);
  });
});

test('a statement has fees above what else happened that day, with signs, and no days without fees', () => {
  const at = Date.parse('2026-11-14T12:00:00Z') / 1_000;
  const entry = { note: null, topup: null, at };
  const counted = { created: 1, expired: 0, cancelled: 0, late: 0, volume_usd: '10.00', methods: [] };
  const lines = linesOf(
    [
      { ...entry, kind: 'credit', amount: '5.00' },
      { ...entry, kind: 'debit', amount: '1.00', at: at - 60 },
    ],
    [
      { ...counted, day: '2026-11-15', completed: 0, fee_usd: '0.00' },
      { ...counted, day: '2026-11-14', completed: 3, fee_usd: '0.2475' },
    ],
  );
  expect(lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['fees', '-0.2475'],
    ['credit', '5.00'],
    ['debit', '-1.00'],
  ]);
});

test('a key is in use for a day after its last call, and counts the calls of two days', () => {
  const nowMs = Date.parse('2026-11-17T01:00:00Z');
  const seconds = nowMs / 1_000;
  expect([null, seconds - 86_401, seconds - 60].map((at) => isInUse(at, nowMs))).toEqual([false, false, true]);
  const days = ['2026-11-17', '2026-11-16', '2026-11-15'].map((day) => ({ day, calls: 5 }));
  expect(recentCalls(days, nowMs)).toBe(10);
});

test('text on a colour is what reads better', () => {
  expect(['#000000', '#1b6e4f', '#ffd400', '#ffffff'].map(textOn)).toEqual([
    '#ffffff',
    '#ffffff',
    '#000000',
    '#000000',
  ]);
});
