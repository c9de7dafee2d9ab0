import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Failpoints of what a worker does by itself on chains, read from the source, so that a new one is drilled automatically.
 * Followed accounts, rescans, pending invoices and named transactions have their own tests; `:piece` occurs only in
 * floods, which have theirs.
 */

const KINDS = ['expire', 'head', 'proof', 'rewind', 'tier'];
const SOURCE = join(import.meta.dirname, '../../src');

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/failpoint\('([^']+)'\)/g), (match) => match[1] ?? '');
}

export function findFailpoints(): string[] {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => namesIn(readFileSync(join(SOURCE, path), 'utf8')))
    .filter((name) => KINDS.some((kind) => name.startsWith(`${kind}:`)) && !name.endsWith(':piece'));
  const missing = KINDS.filter((kind) => !names.some((name) => name.startsWith(`${kind}:`)));
  if (missing.length > 0) throw new Error(`No failpoint was found of: ${missing.join(', ')}.`);
  return [...new Set(names)].sort();
}
