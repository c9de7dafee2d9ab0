import { describe, expect, test } from 'vitest';
import type { KucoinDeposit } from './kucoin-statement.ts';
import { ledgerSpans, MAX_HELD_MS } from './ledger-spans.ts';
import { TOLERANCE_MS } from './pair-deposits.ts';

const AT_MS = 1_794_734_000_000;
const HOUR_MS = 3_600_000;

const deposit = (heldMs: number, facts: Partial<KucoinDeposit> = {}): KucoinDeposit => ({
  units: 100n,
  isInternal: true,
  state: 'final',
  isBooked: true,
  transaction: '',
  createdMs: AT_MS,
  updatedMs: AT_MS + heldMs,
  ...facts,
});

const spansOf = (...payments: KucoinDeposit[]) => ledgerSpans(payments, new Set(payments));

describe('the ledger is read', () => {
  test('from the creation of a payment to its last change', () => {
    expect(spansOf(deposit(HOUR_MS))).toEqual([{ fromMs: AT_MS - TOLERANCE_MS, toMs: AT_MS + HOUR_MS + TOLERANCE_MS }]);
  });

  test('around the last change of a payment that was held for longer than a week', () => {
    const heldMs = MAX_HELD_MS + HOUR_MS;
    const quick = deposit(0, { units: 7n });
    expect(spansOf(deposit(heldMs), quick)).toEqual([
      { fromMs: AT_MS - TOLERANCE_MS, toMs: AT_MS + TOLERANCE_MS },
      { fromMs: AT_MS + heldMs - TOLERANCE_MS, toMs: AT_MS + heldMs + TOLERANCE_MS },
    ]);
  });

  test('as far as the deposits from a chain go whose entries may be taken for those of a payment', () => {
    const chain = deposit(5 * HOUR_MS, { isInternal: false });
    const payment = deposit(0);
    expect(ledgerSpans([chain, payment], new Set([payment]))).toEqual([
      { fromMs: AT_MS - TOLERANCE_MS, toMs: AT_MS + 5 * HOUR_MS + TOLERANCE_MS },
    ]);
  });

  test('for nothing where no payment was credited', () => {
    expect(ledgerSpans([deposit(0, { isInternal: false })], new Set())).toEqual([]);
    expect(spansOf(deposit(0, { isBooked: false }))).toEqual([]);
  });
});
