import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { inheritedEnvironment } from './inherited-environment.ts';
import type { Program } from './server-bundle.ts';
import { programPath } from './server-bundle.ts';
import type { ProcessUser } from './server-process.ts';

export type Ran = { code: number; out: string; error: string };

type Options = {
  /** What the program reads from its standard input. */
  input?: string;
  user?: ProcessUser | undefined;
  /** Where else the program is, such as that of another version. */
  path?: string;
};

/** Runs a program of the server with these settings and no others, and waits until it ends. */
export async function runProgram(
  program: Program,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  { input = '', user, path }: Options = {},
): Promise<Ran> {
  const child = spawn(process.execPath, ['--no-warnings', path ?? (await programPath(program)), ...words], {
    env: { ...inheritedEnvironment(), ...settings },
    ...user,
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  // A program that reads nothing may have ended before this is written.
  child.stdin.on('error', () => {}).end(input);
  const [out, error] = await ended;
  return { code: child.exitCode ?? -1, out, error };
}
