import { sumUsd } from '@counterfoil/core/usd.ts';
import { describe, expect, test } from 'vitest';
import type { Days } from '../src/api/home-queries.ts';
import { changePermille, sharePermille, sumByDay, sumByMethod } from '../src/pages/home/day-sums.ts';
import { spanOfRange } from '../src/pages/home/shown-days.ts';
import { momentsOf } from '../src/pages/home/span.ts';
import { stepStates } from '../src/pages/home/step-states.ts';
import { snippetOf } from '../src/pages/start/snippets.ts';

const counted = { created: 0, expired: 0, cancelled: 0, late: 0, fee_usd: null };
const method = (network: string, token: string, volume: string) => ({
  network,
  token,
  completed: 1,
  late: 0,
  volume_usd: volume,
  fee_usd: null,
});
const answer = (rows: readonly { day: string; volume: string }[]): Days => ({
  from: '2026-11-01',
  to: '2026-11-03',
  days: rows.map(({ day, volume }) =>
    Object.assign({}, counted, { day, completed: 1, volume_usd: volume, methods: [method('BSC', 'USDT', volume)] }),
  ),
  totals: Object.assign({}, counted, { completed: 0, volume_usd: '0' }),
});

describe('sums of days', () => {
  const stores = [
    answer([
      { day: '2026-11-03', volume: '0.10' },
      { day: '2026-11-01', volume: '123456789012345678901.00000001' },
    ]),
    answer([{ day: '2026-11-03', volume: '0.2' }]),
  ];

  test('add up several stores, exactly, and leave no day out', () => {
    expect(sumByDay(stores, '2026-11-01', '2026-11-03')).toEqual([
      { day: '2026-11-01', volume: '123456789012345678901.00000001', completed: 1 },
      { day: '2026-11-02', volume: '0.00', completed: 0 },
      { day: '2026-11-03', volume: '0.30', completed: 2 },
    ]);
    expect(sumUsd([])).toBe('0.00');
  });

  test('are told by method since a day', () => {
    expect(sumByMethod(stores, '2026-11-02')).toEqual([
      { network: 'BSC', token: 'USDT', volume: '0.30', completed: 2 },
    ]);
  });

  test('are compared only with something', () => {
    expect(changePermille('112.40', '100')).toBe(124);
    expect(changePermille('50', '100')).toBe(-500);
    expect(changePermille('50', '0')).toBeUndefined();
    expect(sharePermille('1', '0')).toBe(0);
  });
});

test('spans end with today, and begin where the days before are needed', () => {
  const now = Date.parse('2026-11-17T23:59:59Z');
  expect(spanOfRange('week', now)).toEqual({
    today: '2026-11-17',
    from: '2026-11-11',
    before: { from: '2026-11-04', to: '2026-11-10' },
    chartFrom: '2026-11-11',
    start: '2026-11-04',
  });
  expect(spanOfRange('today', now)).toMatchObject({ from: '2026-11-17', chartFrom: '2026-11-11', start: '2026-11-11' });
  expect(momentsOf('2026-11-17', '2026-11-17')).toEqual({ from: 1_794_873_600, to: 1_794_960_000 });
});

describe('the steps to a first live payment', () => {
  const none = {
    store: false,
    method: false,
    funded: false,
    test_payment: false,
    webhook: false,
    live_payment: false,
  };

  test('begin with a store', () => {
    expect(stepStates(none, false)).toEqual({
      store: 'now',
      test: 'later',
      webhook: 'later',
      factor: 'later',
      method: 'later',
      topup: 'later',
      live: 'later',
    });
  });

  test('ask for two-factor, a wallet and a top-up before a live payment', () => {
    const tested = { ...none, store: true, test_payment: true, webhook: true };
    expect(stepStates(tested, false)).toMatchObject({ factor: 'now', method: 'later' });
    expect(stepStates(tested, true)).toMatchObject({ factor: 'done', method: 'now', topup: 'later' });
    expect(stepStates({ ...tested, method: true }, true)).toMatchObject({ topup: 'now', live: 'later' });
    expect(stepStates({ ...tested, method: true, funded: true }, true)).toMatchObject({ topup: 'done', live: 'now' });
  });
});

test('programs carry a key only when one is given', () => {
  expect(snippetOf('curl', 'MID-1')).toContain('x-api-key: $COUNTERFOIL_KEY');
  expect(snippetOf('curl', 'MID-1', 'cf_test_x')).toContain('x-api-key: cf_test_x');
  expect(snippetOf('node', 'MID-1', 'cf_test_x')).toContain("'x-api-key': 'cf_test_x'");
  const sent = /-d '([\s\S]*)'$/.exec(snippetOf('curl', 'MID-1'))?.[1] ?? '';
  expect(JSON.parse(sent)).toMatchObject({ merchant_id: 'MID-1', amount: '12.50' });
});
