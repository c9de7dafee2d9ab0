import type { Mutant } from './mutant.ts';

/** Bugs of exports. */

export const EXPORT_MUTANTS: readonly Mutant[] = [
  { name: 'formula-unguarded', suite: 'src/lib/csv.test.ts', test: 'gets an apostrophe in front' },
  { name: 'page-boundary-skipped', suite: 'test/exports/exports.test.ts', test: 'has each invoice of the stores once' },
  { name: 'expired-file-served', suite: 'test/exports/exports.test.ts', test: 'from its last second on it is gone' },
  {
    name: 'expired-chunks-served',
    suite: 'test/exports/exports.test.ts',
    test: 'under way then breaks off',
  },
  { name: 'earlier-try-writes', suite: 'test/exports/exports.test.ts', test: 'what the earlier try still writes' },
  { name: 'export-scope-kept', suite: 'src/exports/export.test.ts', test: 'decided again when the file is made' },
  {
    name: 'files-of-other-stores',
    suite: 'test/exports/exports.test.ts',
    test: 'sees no file that has rows of other stores',
  },
];
