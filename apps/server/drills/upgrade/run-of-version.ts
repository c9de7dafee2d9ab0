import { join } from 'node:path';
import type { Ran } from '../../rig/processes/run-program.ts';
import { runProgram } from '../../rig/processes/run-program.ts';

/** Programs that end: the migration and the command line, from the folder of a version. */

type Run = { folder: string; program: 'main-migrate' | 'cli'; words: readonly string[] };

export const runOfVersion = ({ folder, program, words }: Run, settings: Record<string, string>): Promise<Ran> =>
  runProgram(
    program,
    words,
    { COUNTERFOIL_ENVIRONMENT: 'development', ...settings },
    { path: join(folder, `apps/server/src/${program}.ts`) },
  );

export function requireSuccess(ran: Ran, what: string): string {
  if (ran.code !== 0) throw new Error(`${what} ended with exit code ${ran.code}:\n${ran.out}${ran.error}`);
  return ran.out;
}
