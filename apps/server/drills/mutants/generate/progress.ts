import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** Results of a run that was stopped, so that the next run with the same seed continues it. */

/** Digests of the test files that passed: a file that has changed since is run again. */
const suitesSchema = z.record(z.string(), z.string());

const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('invalid'), reason: z.string() }),
  /** The mutation compiles, and some of its test files have not run yet. */
  z.object({ kind: z.literal('valid'), suites: suitesSchema }),
  z.object({ kind: z.literal('killed'), by: z.string() }),
  z.object({ kind: z.literal('survived'), suites: suitesSchema }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** Outcomes by the key of their mutation. A mutation whose code has changed has another key. */
export type Progress = Map<string, Outcome>;

const pathOf = (seed: number) => join(import.meta.dirname, `../../../../../.local/mutants/seed-${seed}.json`);

export function readProgress(seed: number): Progress {
  try {
    const stored = z.record(z.string(), outcomeSchema).parse(JSON.parse(readFileSync(pathOf(seed), 'utf8')));
    return new Map(Object.entries(stored));
  } catch {
    return new Map();
  }
}

export function saveProgress(seed: number, progress: Progress): void {
  mkdirSync(dirname(pathOf(seed)), { recursive: true });
  writeFileSync(pathOf(seed), `${JSON.stringify(Object.fromEntries(progress), null, 1)}\n`);
}
