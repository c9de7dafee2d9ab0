import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Which functions each test file called, as `test/record-calls.ts` recorded it: a file for each test file. The records
 * are kept between runs, because recording them takes as long as all suites.
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
