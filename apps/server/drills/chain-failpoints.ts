import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every failpoint that the engine has, read from its source: a new one is drilled without anybody remembering it. */

const FOLDERS = ['transfers', 'invoices'];
const SOURCE = join(import.meta.dirname, '../src');

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/failpoint\('([^']+)'\)/g), (match) => match[1] ?? '');
}

export function findFailpoints(): string[] {
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .flatMap((path) => namesIn(readFileSync(join(SOURCE, folder, path), 'utf8'))),
  );
  if (names.length === 0) throw new Error('The engine has no failpoints.');
  return [...new Set(names)].sort();
}
