import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Failpoints of these folders, read from the source, so that a new one is drilled automatically. Those of followed
 * accounts, rescans, pending invoices, named transactions and floods have their own tests: a worker does not come there
 * by itself.
 */

const FOLDERS = ['transfers', 'invoices'];
const ELSEWHERE = /^(?:account|rescan|pending|named):|:piece$/;
const SOURCE = join(import.meta.dirname, '../../src');

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/failpoint\('([^']+)'\)/g), (match) => match[1] ?? '').filter(
    (name) => !ELSEWHERE.test(name),
  );
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
