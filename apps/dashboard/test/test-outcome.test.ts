import { expect, test } from 'vitest';
import { OFFERED, outcomeOfTest } from '../src/pages/invoices/test-outcome.ts';

test('the test payer is first asked to pay in full', () => {
  expect(OFFERED[0]).toBe('pay');
});

test.each([
  [[true, true], 'played'],
  [[true, null], 'played'],
  [[null, null], 'asked'],
  [[false, false], 'undone'],
  [[true, false], 'undone'],
  [[], 'asked'],
] as const)('acts that are done as %j are told as %s', (done, told) => {
  expect(outcomeOfTest(done.map((one) => ({ done: one })))).toBe(told);
});
