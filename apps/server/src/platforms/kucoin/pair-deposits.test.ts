import { describe, expect, test } from 'vitest';
import type { KucoinDeposit } from './kucoin-statement.ts';
import { pairDeposits, PATIENCE_MS, requireShown, TOLERANCE_MS } from './pair-deposits.ts';

const AT_MS = 1_794_734_000_000;

const deposit = (facts: Partial<KucoinDeposit> = {}): KucoinDeposit => ({
  units: 100n,
  isInternal: true,
  state: 'final',
  transaction: '',
  createdMs: AT_MS,
  updatedMs: facts.createdMs ?? AT_MS,
  ...facts,
});
const entry = (id: string, atMs = AT_MS, units = 100n) => ({ id, units, atMs });

const idsOf = (deposits: KucoinDeposit[], entries: ReturnType<typeof entry>[]) =>
  pairDeposits(deposits, entries).pairs.map((pair) => pair.entry.id);

describe('deposits and the ledger', () => {
  test('a deposit has the entry with its amount and time', () => {
    const others = [entry('other amount', AT_MS, 101n), entry('too old', AT_MS - TOLERANCE_MS - 1)];
    expect(idsOf([deposit()], [...others, entry('this one', AT_MS + 484)])).toEqual(['this one']);
  });

  test('a deposit that took its time has the entry of its end', () => {
    const slow = deposit({ createdMs: AT_MS - 7_000_000, updatedMs: AT_MS });
    expect(idsOf([slow], [entry('late', AT_MS + TOLERANCE_MS)])).toEqual(['late']);
    expect(idsOf([slow], [entry('later', AT_MS + TOLERANCE_MS + 1)])).toEqual([]);
  });

  test('two payments of one amount are two entries, and one that is shown twice is one', () => {
    expect(idsOf([deposit(), deposit()], [entry('b', AT_MS + 1), entry('a')])).toEqual(['a', 'b']);
    expect(idsOf([deposit(), deposit()], [entry('a')])).toEqual(['a']);
  });

  test('a second payment that only one list shows leaves the entry of the first one alone', () => {
    const second = deposit({ createdMs: AT_MS + 5_000 });
    expect(idsOf([second, deposit()], [entry('first')])).toEqual(['first']);
    expect(pairDeposits([second, deposit()], [entry('first')]).unpaired).toEqual([second]);
    expect(idsOf([deposit()], [entry('second', AT_MS + 5_000), entry('first')])).toEqual(['first']);
  });

  test('a failed deposit takes no entry of a credited one', () => {
    const failed = deposit({ state: 'failed', createdMs: AT_MS - 5_000 });
    const { pairs } = pairDeposits([failed, deposit()], [entry('a')]);
    expect(pairs.map((pair) => pair.deposit.state)).toEqual(['final']);
  });

  const range = { fromMs: AT_MS - 1_000, toMs: AT_MS + 1_000, nowMs: AT_MS + 1_000 };

  test('a credited deposit that the ledger does not show yet refuses the statement', () => {
    expect(() => requireShown([deposit()], range)).toThrow(expect.objectContaining({ kind: 'not-yet' }));
  });

  test.each([
    ['has waited for ten minutes', deposit(), { nowMs: AT_MS + PATIENCE_MS }],
    ['came from a chain', deposit({ isInternal: false }), {}],
    ['is not credited', deposit({ state: 'pending' }), {}],
    ['was made before the range', deposit({ createdMs: AT_MS - 1_001 }), {}],
    ['was made after the range', deposit({ createdMs: AT_MS + 1_001 }), {}],
    ['was credited after the range', deposit({ updatedMs: AT_MS + 1_001 + TOLERANCE_MS }), { nowMs: AT_MS + 99_000 }],
  ])('a deposit that %s does not', (_name, one, changes) => {
    expect(() => requireShown([one], { ...range, ...changes })).not.toThrow();
  });
});
