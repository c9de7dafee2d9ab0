import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Finds pure test files, which need no database, no process and no port: neither the file nor a rig that it imports
 * asks vitest for the database (`inject`), or imports a module that opens a socket or a process. Imports into `src` are
 * not followed: a test must hand in what the source needs of the outside. `test/forbid-outside.ts` fails a test that
 * this rule takes for pure and that is not.
 */

const TESTS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'];
/** Contract tests run over HTTP, in a separate project. */
const CONTRACT = 'test/contract/';
const OUTSIDE = /^(pg|node:(child_process|cluster|dgram|http2?|https|net|tls|worker_threads))$/;
/** Imports that exist at run time; imports of types are erased. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const ASKS_FOR_DATABASE = /^import \{[^}]*\binject\b[^}]*\} from 'vitest'/m;

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? '');
}

function isPure(test: string, source: string): boolean {
  const files = new Set([test]);
  // Iterating over a Set includes elements that are added on the way.
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const imports = importsOf(text);
    if (ASKS_FOR_DATABASE.test(text) || imports.some((name) => OUTSIDE.test(name))) return false;
    for (const name of imports) {
      const path = join(dirname(file), name);
      if (name.startsWith('.') && name.endsWith('.ts') && !path.startsWith(source)) files.add(path);
    }
  }
  return true;
}

/** Pure test files, as paths below `server`, the folder of the server's package. */
export function findPureTests(server: string): string[] {
  const source = join(server, 'src/');
  return globSync(TESTS, { cwd: server })
    .filter((test) => !test.startsWith(CONTRACT) && isPure(join(server, test), source))
    .toSorted();
}
