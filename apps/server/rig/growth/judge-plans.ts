import type { PlanNode, RecordedStatement } from './recorded-plans.ts';
import { nodesOf, rowsInVain } from './recorded-plans.ts';
import { SEEDED_TABLES } from './seed-past.ts';

/** What no plan of the worker may do. */

/** Tables that grow with trade. Of the others a handful of rows is all there is, ever. */
const GROWING = [
  ...SEEDED_TABLES,
  'wallets',
  'endpoints',
  'alarms',
  'invoice_changes',
  'followed_accounts',
  'account_demands',
  'named_transactions',
];
/** The watch set is all wallets of a network, and it is read only when one of them changes. */
const READS_ALL_WALLETS = 'chains/watch-sql readWatched';
/** Rows that a statement may look at in vain: it works at some tens at a time. */
const MOST_IN_VAIN = 200;

const isGrowing = (table: string) => GROWING.some((one) => table === one || table.startsWith(`${one}_`));
const nodesRun = (plan: PlanNode) => nodesOf(plan).filter((node) => node['Actual Loops'] > 0);

/** Statements that read a table that grows from end to end. */
export function findWholeScans(recorded: readonly RecordedStatement[]): string[] {
  const whole = recorded.flatMap(({ label, plan }) =>
    nodesRun(plan)
      .filter((node) => node['Node Type'].includes('Seq Scan') && isGrowing(node['Relation Name'] ?? ''))
      .map((node) => `${label}: ${node['Relation Name']}`),
  );
  return [...new Set(whole)];
}

/** Statements that walk rows which they do not want. */
export function findWaste(recorded: readonly RecordedStatement[]): string[] {
  const wasteful = recorded
    .filter(({ plan }) => Math.max(...nodesRun(plan).map(rowsInVain)) > MOST_IN_VAIN)
    .map(({ label }) => label)
    .filter((label) => label !== READS_ALL_WALLETS);
  return [...new Set(wasteful)];
}
