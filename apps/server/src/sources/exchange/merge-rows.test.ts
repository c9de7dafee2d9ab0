import { expect, test } from 'vitest';
import type { StatementRow } from '../statement-source.ts';
import { mergeRows } from './merge-rows.ts';

const row = (facts: Partial<StatementRow>): StatementRow => ({
  id: 'a',
  token: 'USDT',
  units: 100n,
  atMs: 1_000,
  from: '',
  state: 'final',
  ...facts,
});

test('rows outside of the range are left out; its ends belong to it; rows come by time', () => {
  const rows = [3_000, 999, 1_000, 3_001, 2_000].map((atMs) => row({ id: String(atMs), atMs }));
  expect(mergeRows(rows, 1_000, 3_000).map(({ atMs }) => atMs)).toEqual([1_000, 2_000, 3_000]);
});

test('a row that came twice counts once, with the state that was told last', () => {
  expect(mergeRows([row({ state: 'pending' }), row({})], 0, 9_000)).toEqual([row({})]);
});

test('one id for two payments is an error', () => {
  for (const other of [{ units: 101n }, { token: 'USDC' }, { atMs: 1_001 }, { state: 'refund' as const }])
    expect(() => mergeRows([row({}), row(other)], 0, 9_000)).toThrow('the same id');
});
