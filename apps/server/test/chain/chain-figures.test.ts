import { describe, expect, test } from 'vitest';
import type { Figures, Key, PartFigures } from '../../rig/report/chain-figures.ts';
import { addUp, judgeTotals } from '../../rig/report/chain-figures.ts';
import { gatherFaults } from '../../rig/report/faults.ts';

/** The judge of the chain drill: a run that did not meet its faults has proven nothing, and fails. */

const MET: Partial<Figures> = { payments: 10, completed: 10, frozen_heads: 3, slow_clocks: 3, duplicate_logs: 3 };
const PROMISED = {
  faults: ['frozen_heads', 'slow_clocks', 'duplicate_logs', 'common_holes'] as const satisfies readonly Key[],
  payments: { each: 10, all: 30 },
};
const WITH_LOGS = { ...MET, common_holes: 3 };
const NETWORKS: Record<string, Partial<Figures>> = {
  BSC: WITH_LOGS,
  TRC20: WITH_LOGS,
  SOL: { ...MET, duplicate_logs: 0 },
};

function judge(change: Record<string, Partial<Figures>> = {}, shared: Partial<Figures> = {}, fault?: string): string[] {
  const networks = Object.fromEntries(
    Object.entries(NETWORKS).map(([symbol, own]) => [symbol, { ...own, ...change[symbol] }]),
  );
  const part: PartFigures = { networks, shared };
  const faults = gatherFaults();
  if (fault !== undefined) faults.add(fault);
  return judgeTotals(addUp([part]), PROMISED, faults);
}

test('a drill that met every fault on every network that has it passes', () => {
  expect(judge()).toEqual([]);
});

describe('a drill fails', () => {
  test.each([
    ['BSC', 'frozen_heads'],
    ['SOL', 'frozen_heads'],
    ['TRC20', 'slow_clocks'],
    ['SOL', 'slow_clocks'],
    ['BSC', 'duplicate_logs'],
    ['TRC20', 'common_holes'],
  ] as const)('where %s did not meet %s', (symbol, key) => {
    expect(judge({ [symbol]: { [key]: 0 } })).toEqual([`${key} is 0 on ${symbol}, whose profile names the fault`]);
  });

  test('where a fault occurred nowhere', () => {
    const none = { common_holes: 0 };
    expect(judge({ BSC: none, TRC20: none })).toContain('common_holes is 0: the fault did not occur');
  });

  test.each(['lost', 'double', 'false_expiries', 'stuck_processing', 'unexplained'] as const)('with one %s', (key) => {
    expect(judge({ BSC: { [key]: 1 } })).toEqual([`${key} is 1`]);
  });

  test('with an imbalance of the ledger, a fault in words, or too few payments', () => {
    expect(judge({}, { ledger_imbalance: 1 })).toEqual(['ledger_imbalance is 1']);
    expect(judge({}, {}, 'a payment was completed late')).toEqual(['1 faults']);
    expect(judge({ SOL: { payments: 9 } })).toEqual(['SOL saw 9 payments of 10', 'there were 29 payments of 30']);
  });
});
