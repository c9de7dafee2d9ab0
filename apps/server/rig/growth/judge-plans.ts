import type { PlanNode, RecordedStatement } from './recorded-plans.ts';
import { nodesOf, rowsInVain } from './recorded-plans.ts';
import { SEEDED_TABLES } from './seed-past.ts';

/** Rules for the query plans of the worker's SQL statements. */

/** Tables that grow with trade. All other tables only ever have a handful of rows. */
const GROWING = [
  ...SEEDED_TABLES,
  'wallets',
  'endpoints',
  'alarms',
  'invoice_changes',
  'followed_accounts',
  'account_demands',
  'named_transactions',
  'method_changes',
  'topups',
  'exports',
  'export_chunks',
  'security_events',
];
/**
 * The one SQL statement that may read many rows in vain: it reads all wallets of a network for the watch set, which
 * happens only when a wallet changes.
 */
const READS_ALL_WALLETS = 'chains/watch-sql readWatched';
/**
 * How many rows an SQL statement may read and discard: the worker's SQL statements work on some tens of rows at a time.
 */
const MOST_IN_VAIN = 200;

const isGrowing = (table: string) => GROWING.some((one) => table === one || table.startsWith(`${one}_`));
const nodesRun = (plan: PlanNode) => nodesOf(plan).filter((node) => node['Actual Loops'] > 0);

/** SQL statements that scan a whole growing table. */
export function findWholeScans(recorded: readonly RecordedStatement[]): string[] {
  const whole = recorded.flatMap(({ label, plan }) =>
    nodesRun(plan)
      .filter((node) => node['Node Type'].includes('Seq Scan') && isGrowing(node['Relation Name'] ?? ''))
      .map((node) => `${label}: ${node['Relation Name']}`),
  );
  return [...new Set(whole)];
}

/** SQL statements that read many rows only to discard them. */
export function findWaste(recorded: readonly RecordedStatement[]): string[] {
  const wasteful = recorded
    .filter(({ plan }) => Math.max(...nodesRun(plan).map(rowsInVain)) > MOST_IN_VAIN)
    .map(({ label }) => label)
    .filter((label) => label !== READS_ALL_WALLETS);
  return [...new Set(wasteful)];
}
