import { expect, test } from 'vitest';
import type { StatementRow } from '../statement-source.ts';
import { joinRows } from './join-rows.ts';

const row = (facts: Partial<StatementRow>): StatementRow => ({
  id: 'a',
  token: 'USDT',
  units: 100n,
  atMs: 1_000,
  from: '',
  state: 'final',
  ...facts,
});

test('a row that came twice counts once, with the state that was told last', () => {
  expect(joinRows([row({ state: 'pending' }), row({ id: 'b' }), row({})])).toEqual([row({}), row({ id: 'b' })]);
});

test('one id for two payments is an error', () => {
  for (const other of [{ units: 101n }, { token: 'USDC' }, { atMs: 1_001 }])
    expect(() => joinRows([row({}), row(other)])).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
});
