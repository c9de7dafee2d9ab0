import { describe, expect, test } from 'vitest';
import type { StatementRow } from '../platforms/statement-source.ts';
import type { StoredRow } from './compare-statement.ts';
import { compareStatement, findOvertaken, GONE_AFTER_MS } from './compare-statement.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const MINUTE = 60_000;
const RANGES = [{ fromMs: NOW - 30 * MINUTE, toMs: NOW }];

const row: StatementRow = {
  id: 'P_1',
  token: 'USDT',
  units: 100n,
  atMs: NOW - MINUTE,
  from: '77',
  state: 'final',
};
const stored: StoredRow = {
  id: 1n,
  txId: 'P_1',
  token: 'USDT',
  units: 100n,
  atMs: row.atMs,
  canonical: true,
  missingSinceMs: undefined,
  writtenBy: '7',
};
const nothing = { payments: [], renamed: [], gone: [], missing: [], back: [], unclear: [] };
const unclear: StatementRow = { ...row, units: 0n, state: 'unclear' };
const since = (ms: number) => ({ ...stored, missingSinceMs: NOW - ms });

test.each<[string, StoredRow[], StoredRow[], string[]]>([
  ['that stays as it was is not overtaken', [stored], [stored], []],
  ['that was changed since is overtaken', [stored], [{ ...stored, writtenBy: '8' }], ['P_1']],
  ['that was stored since is overtaken', [], [stored], ['P_1']],
  ['of another id is not overtaken by a change', [stored], [stored, { ...stored, txId: 'P_2' }], ['P_2']],
])('the read of a row %s', (_title, before, now, expected) => {
  expect([...findOvertaken(before, now)]).toEqual(expected);
});

describe('a stored row', () => {
  test.each<[string, StoredRow, StatementRow[], Partial<ReturnType<typeof compareStatement>>]>([
    ['that is shown again changes nothing', stored, [row], { payments: [row] }],
    ['that is shown after it was missing is back', since(MINUTE), [row], { payments: [row], back: [1n] }],
    [
      'that was gone and is shown again is back',
      { ...since(MINUTE), canonical: false },
      [row],
      { payments: [row], back: [1n] },
    ],
    ['that a complete read lacks is missing', stored, [], { missing: [1n] }],
    ['that is unclear now is neither missing nor gone', stored, [unclear], { unclear: [unclear] }],
    ['that is unclear now has not been missing', since(GONE_AFTER_MS), [unclear], { unclear: [unclear], back: [1n] }],
    ['that is missing stays so', since(GONE_AFTER_MS - 1), [], {}],
    ['that has been missing for ten minutes is gone', since(GONE_AFTER_MS), [], { gone: [1n] }],
    ['that failed is gone at once', stored, [{ ...row, state: 'failed' }], { gone: [1n] }],
    ['outside of what was read is not missing', { ...stored, atMs: NOW - 31 * MINUTE }, [], {}],
    ['that is gone already is not gone again', { ...stored, canonical: false }, [], {}],
    ['whose id is a refund now is missing as a payment', stored, [{ ...row, state: 'refund' }], { missing: [1n] }],
  ])('%s', (_which, one, rows, change) => {
    expect(compareStatement([one], rows, RANGES, NOW)).toEqual({ ...nothing, ...change });
  });
});

describe('a row', () => {
  test('is a payment once, however often it is served', () => {
    expect(compareStatement([], [row, { ...row }], RANGES, NOW).payments).toEqual([row]);
  });

  test.each<[string, StatementRow['state'][], StatementRow['state'][]]>([
    ['pending and final is pending', ['final', 'pending'], ['pending']],
    ['final and failed is no payment', ['final', 'failed'], []],
    ['that is a refund is no payment', ['refund'], []],
    ['that failed is no payment', ['failed'], []],
    ['final and unclear is pending', ['final', 'unclear'], ['pending']],
  ])('called %s', (_what, states, expected) => {
    const rows = states.map((state) => ({ ...row, state }));
    expect(compareStatement([], rows, RANGES, NOW).payments.map(({ state }) => state)).toEqual(expected);
  });
});

describe('a payment that its platform lists before it has an id', () => {
  const early: StatementRow = { ...row, id: 'facts', provisionalId: 'facts', state: 'pending' };
  const named: StatementRow = { ...row, provisionalId: 'facts' };
  const storedEarly: StoredRow = { ...stored, id: 2n, txId: 'facts' };

  test.each<[string, StoredRow[], StatementRow[], Partial<ReturnType<typeof compareStatement>>]>([
    ['is recorded as pending', [], [early], { payments: [early] }],
    [
      'keeps its stored row under its new id',
      [storedEarly],
      [named],
      { payments: [named], renamed: [{ id: 2n, txId: 'P_1' }] },
    ],
    [
      'keeps its stored row under its new id after it was gone',
      [{ ...storedEarly, canonical: false, missingSinceMs: NOW - MINUTE }],
      [named],
      { payments: [named], renamed: [{ id: 2n, txId: 'P_1' }], back: [2n] },
    ],
    [
      'is gone where it is stored under its new id too',
      [stored, storedEarly],
      [named],
      { payments: [named], gone: [2n] },
    ],
    [
      'stays beside another one of the same time and amount that has its id',
      [stored, storedEarly],
      [named, early],
      { payments: [named, early] },
    ],
    [
      'leaves its first id to another one of the same time and amount',
      [storedEarly],
      [named, early],
      { payments: [named, early], renamed: [{ id: 2n, txId: 'P_1' }] },
    ],
    [
      'gives its stored row to one of two that have their ids now',
      [storedEarly],
      [named, { ...named, id: 'P_2' }],
      { payments: [named, { ...named, id: 'P_2' }], renamed: [{ id: 2n, txId: 'P_1' }] },
    ],
    ['is no second payment in a list that is behind', [stored], [early], { missing: [1n] }],
    ['is gone once it has failed', [storedEarly], [{ ...early, state: 'failed' }], { gone: [2n] }],
  ])('%s', (_what, before, rows, change) => {
    expect(compareStatement(before, rows, RANGES, NOW)).toEqual({ ...nothing, ...change });
  });
});

describe('an unclear row whose amount is known', () => {
  const known: StatementRow = { ...row, id: 'facts', state: 'unclear' };

  test.each<[string, StoredRow[], StatementRow[], StatementRow[]]>([
    ['is recorded as pending', [], [known], [{ ...known, state: 'pending' }]],
    ['is not recorded beside a stored payment that it may be', [stored], [known], []],
    ['is not recorded beside a payment of the same read that it may be', [], [row, known], [row]],
    [
      'is recorded beside a payment of another amount',
      [{ ...stored, units: 7n }],
      [known],
      [{ ...known, state: 'pending' }],
    ],
    ['leaves its stored payment as it is', [{ ...stored, txId: 'facts' }], [known], []],
  ])('%s', (_what, before, rows, payments) => {
    const change = compareStatement(before, rows, RANGES, NOW);
    expect(change.payments).toEqual(payments);
    expect(change.unclear).toEqual([known]);
  });
});
