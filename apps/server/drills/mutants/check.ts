import { findFaults } from './find-faults.ts';
import { MUTANTS } from './list.ts';

/** Checks that every planted bug fits the sources and names a test that exists; `pnpm check` runs it. */

const faults = await findFaults(MUTANTS);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${MUTANTS.length} planted bugs fit the sources and their tests exist.`);
