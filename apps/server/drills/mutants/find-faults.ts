import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTitleFinder } from './find-titles.ts';
import type { Mutant } from './mutant.ts';
import { readEdited } from './plant-edits.ts';

/** Rows that cannot be planted in the sources as they are, or whose test does not exist. */

const SERVER = join(import.meta.dirname, '../..');

export async function findFaults(mutants: readonly Mutant[]): Promise<string[]> {
  const faults: string[] = [];
  const names = new Set<string>();
  for (const { name, edits } of mutants) {
    if (names.has(name)) faults.push(`${name}: another row has this name.`);
    names.add(name);
    await readEdited(SERVER, edits).catch((cause: Error) => faults.push(`${name}: ${cause.message}`));
  }
  for (const [suite, rows] of Map.groupBy(mutants, (mutant) => mutant.suite)) {
    const path = join(SERVER, suite);
    const isTitle = existsSync(path) ? createTitleFinder(path) : () => false;
    for (const { name, title } of rows)
      if (!isTitle(title)) faults.push(`${name}: ${suite} has no test with the title: ${title}`);
  }
  return faults;
}
