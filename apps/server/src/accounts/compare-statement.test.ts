import { describe, expect, test } from 'vitest';
import type { StatementRow } from '../platforms/statement-source.ts';
import type { StoredRow } from './compare-statement.ts';
import { compareStatement, GONE_AFTER_MS } from './compare-statement.ts';

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
const stored: StoredRow = { id: 1n, txId: 'P_1', atMs: row.atMs, canonical: true, missingSinceMs: undefined };
const nothing = { payments: [], gone: [], missing: [], back: [], unclear: [] };
const unclear: StatementRow = { ...row, units: 0n, state: 'unclear' };
const since = (ms: number) => ({ ...stored, missingSinceMs: NOW - ms });

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
    ['final and unclear is no payment yet', ['final', 'unclear'], []],
  ])('called %s', (_what, states, expected) => {
    const rows = states.map((state) => ({ ...row, state }));
    expect(compareStatement([], rows, RANGES, NOW).payments.map(({ state }) => state)).toEqual(expected);
  });
});
