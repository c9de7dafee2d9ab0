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

test('one id for two payments is one unclear row at the earlier time, beside the other rows', () => {
  for (const other of [{ units: 101n }, { token: 'USDC' }, { atMs: 1_001 }, { atMs: 999 }])
    expect(joinRows([row({}), row({ id: 'b' }), row(other)])).toEqual([
      row({ units: 0n, atMs: Math.min(1_000, other.atMs ?? 1_000), state: 'unclear' }),
      row({ id: 'b' }),
    ]);
});

test('an id that was confused once stays unclear, whatever else is shown of it', () => {
  const rows = [row({}), row({ units: 101n }), row({}), row({ units: 101n })];
  for (const shown of [rows, rows.slice(0, 3)]) expect(joinRows(shown)).toMatchObject([{ id: 'a', state: 'unclear' }]);
});
