import { join } from 'node:path';
import type { Kind } from './program.ts';
import { commandOf, isKind, listPrograms, PROGRAMS } from './program.ts';

/**
 * Runs a drill or a bench.
 *   pnpm drill --list             names all drills (pnpm bench --list: all benches)
 *   pnpm drill NAME [OPTION...]   runs one
 */

const ROOT = join(import.meta.dirname, '../../../..');
const USAGE_EXIT_CODE = 2;

function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = USAGE_EXIT_CODE;
}

function run(kind: Kind, name: string, words: readonly string[]): void {
  const [program = '', ...rest] = commandOf(kind, name, words) ?? [];
  if (program === '') {
    return refuse(`There is no ${kind} "${name}". Names: ${Object.keys(PROGRAMS[kind]).join(', ')}`);
  }
  if (!process.execve) throw new Error('This system cannot replace a process; use Linux or macOS.');
  // The program takes this process's place: signals reach it, and its exit code is that of the command.
  process.execve(join(ROOT, program), [program, ...rest]);
}

const [kind, name, ...words] = process.argv.slice(2);
if (!isKind(kind)) refuse('Usage: main.ts drill|bench NAME [OPTION...]');
else if (name === '--list') process.stdout.write(`${listPrograms(kind).join('\n')}\n`);
else if (name === undefined) refuse(`Which ${kind}? Names: ${Object.keys(PROGRAMS[kind]).join(', ')}`);
else run(kind, name, words);
