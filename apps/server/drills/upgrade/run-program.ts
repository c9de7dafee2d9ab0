import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inheritedEnvironment } from '../../rig/processes/inherited-environment.ts';

/** Programs that end: the migration and the command line, from the folder of a version. */

export type Ran = { code: number; out: string; error: string };

type Program = { folder: string; main: 'main-migrate.ts' | 'cli.ts'; words: readonly string[] };

export function runProgram({ folder, main, words }: Program, settings: Record<string, string>): Promise<Ran> {
  const path = join(folder, 'apps/server/src', main);
  const env = { ...inheritedEnvironment(), COUNTERFOIL_ENVIRONMENT: 'development', ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', path, ...words], { env }, (cause, out, error) => {
      const code = typeof cause?.code === 'number' ? cause.code : cause ? -1 : 0;
      resolve({ code, out, error });
    });
  });
}

export function requireSuccess(ran: Ran, what: string): string {
  if (ran.code !== 0) throw new Error(`${what} ended with exit code ${ran.code}:\n${ran.out}${ran.error}`);
  return ran.out;
}
