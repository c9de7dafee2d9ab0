import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Reads the records of `test/record-calls.ts`: one file per test file, with the functions that the test file called. They
 * are kept between runs, because recording takes as long as running all suites.
 */

const recordSchema = z.object({
  suite: z.string(),
  passed: z.boolean(),
  durationMs: z.number(),
  /** Counts of calls by source file and function. */
  calls: z.record(z.string(), z.record(z.string(), z.number())),
});
export type CallRecord = z.infer<typeof recordSchema>;

export const RECORDS = join(import.meta.dirname, '../../../../.local/mutants/calls');

export function readRecords(): CallRecord[] {
  mkdirSync(RECORDS, { recursive: true });
  return readdirSync(RECORDS)
    .filter((name) => name.endsWith('.json'))
    .map((name) => recordSchema.parse(JSON.parse(readFileSync(join(RECORDS, name), 'utf8'))));
}
