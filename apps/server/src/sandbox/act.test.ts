import { requireDecimal } from '@counterfoil/core/amount.ts';
import { describe, expect, test } from 'vitest';
import { magicScenario, needsQuote, planScenario, SCENARIOS } from './act.ts';

describe('magic amounts', () => {
  test.each([
    ['25.00000001', 'pay'],
    ['25.00000002', 'short'],
    ['25.00000003', 'over'],
    ['25.00000004', 'late'],
    ['25.00000005', 'twice'],
    ['25.00000006', 'wrong_token'],
    ['25.00000007', 'slow'],
    ['25.00000008', 'reorg_before'],
    ['25.00000009', 'reorg_after'],
    ['25.0000001', 'expire'],
    ['25.00000011', 'outage'],
    ['25.00000012', 'webhooks'],
    ['25.00000013', 'prices'],
    ['25.00000014', 'paid_after_cancel'],
    ['0.50000001', 'pay'],
    ['999999.99000001', 'pay'],
  ])('%s plays %s', (amount, scenario) => {
    expect(magicScenario(requireDecimal(amount, 8))).toBe(scenario);
  });

  test.each(['25', '25.01', '25.9999', '25.0001', '25.00000015', '25.00009999', '1000000'])(
    '%s plays nothing',
    (amount) => {
      expect(magicScenario(requireDecimal(amount, 8))).toBeUndefined();
    },
  );
});

test.each(SCENARIOS)('%s has a plan whose acts come in their order', (scenario) => {
  const times = planScenario(scenario).map(({ afterMs }) => afterMs);
  expect(times.length).toBeGreaterThan(0);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
});

test('a plan that pays needs a method, and no other does', () => {
  const without = SCENARIOS.filter((scenario) => !needsQuote(planScenario(scenario)));
  expect(without).toEqual(['expire', 'prices']);
});
