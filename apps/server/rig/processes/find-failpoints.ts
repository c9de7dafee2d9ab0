import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '../../src');

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/failpoint\('([^']+)'\)/g), (match) => match[1] ?? '');
}

/**
 * Names of the failpoints whose kind (the part before the colon) is among `kinds`. The names are read from the source
 * code, so that a new failpoint is drilled and tested without being listed anywhere.
 */
export function findFailpoints(kinds: readonly string[]): string[] {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => namesIn(readFileSync(join(SOURCE, path), 'utf8')))
    .filter((name) => kinds.some((kind) => name.startsWith(`${kind}:`)));
  const missing = kinds.filter((kind) => !names.some((name) => name.startsWith(`${kind}:`)));
  if (missing.length > 0) throw new Error(`No failpoint was found of: ${missing.join(', ')}.`);
  return [...new Set(names)].sort();
}
