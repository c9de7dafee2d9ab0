import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const BUILT = join(ROOT, 'dist/.vite/manifest.json');
const SOURCES = ['src/**/*', 'vite.config.ts', 'package.json'];

function isFresh(): boolean {
  if (!existsSync(BUILT)) return false;
  const builtMs = statSync(BUILT).mtimeMs;
  return globSync(SOURCES, { cwd: ROOT }).every((path) => statSync(join(ROOT, path)).mtimeMs <= builtMs);
}

/**
 * The tests check what is shipped. A fresh build is left alone, because suites that run side by side read the same
 * files.
 */
export async function setup(): Promise<void> {
  if (!isFresh()) await build({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' });
}
