import type { CallRecord } from './recorded-calls.ts';
import type { Mutation } from './mutation.ts';

/** How many test files are run against one mutation. */
const MAX_SUITES = 25;

/** How often a test file calls the innermost recorded function around a change. */
function callsOf({ calls }: CallRecord, { file, functions }: Pick<Mutation, 'file' | 'functions'>): number {
  const own = calls[file];
  if (!own) return 0;
  const name = functions.find((one) => own[one] !== undefined);
  // A mutation outside all functions, for example of a constant, can affect every caller of this file.
  if (functions.length === 0) return Object.values(own).reduce((sum, count) => sum + count, 0);
  return name === undefined ? 0 : (own[name] ?? 0);
}

/**
 * Test files that call the mutated code, most relevant first. A file ranks higher the more often it calls this code, the
 * fewer other functions it calls, and the less time it takes.
 */
export function chooseSuites(
  records: readonly CallRecord[],
  mutation: Pick<Mutation, 'file' | 'functions'>,
  limit = MAX_SUITES,
): CallRecord[] {
  const weightOf = (record: CallRecord) => {
    const files = Object.values(record.calls);
    const all = files.reduce((sum, own) => sum + Object.keys(own).length, 0);
    return (1 + Math.log2(callsOf(record, mutation))) / (all * Math.log2(2 + record.durationMs / 1_000));
  };
  return records
    .filter((record) => record.passed && callsOf(record, mutation) > 0)
    .map((record) => ({ record, weight: weightOf(record) }))
    .toSorted((left, right) => right.weight - left.weight || (left.record.suite < right.record.suite ? -1 : 1))
    .slice(0, limit)
    .map(({ record }) => record);
}
