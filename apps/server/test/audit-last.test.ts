import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Checks that nothing follows `recordAudit` in a transaction: others who record entries wait for the transaction that
 * holds the audit's lock.
 */

const SOURCE = join(import.meta.dirname, '../src');
const CALL = /\brecordAudit\(/g;

/**
 * Files that may write after their entry: this one needs the entry's number, and no other process writes what it
 * writes.
 */
const ALLOWED = new Set(['secrets/start-audit-chain.ts']);

/** Position after the bracket that closes the one at `open`. */
function closeOf(text: string, open: number): number {
  let depth = 0;
  for (let place = open; place < text.length; place += 1) {
    if ('({['.includes(text[place] ?? '')) depth += 1;
    if (')}]'.includes(text[place] ?? '')) depth -= 1;
    if (depth <= 0) return place + 1;
  }
  return text.length;
}

/** Text of a function after a position in it. */
function restOfBlock(text: string, from: number): string {
  let depth = 0;
  for (let place = from; place < text.length; place += 1) {
    if ('({['.includes(text[place] ?? '')) depth += 1;
    if (')}]'.includes(text[place] ?? '')) depth -= 1;
    if (depth < 0) return text.slice(from, place);
  }
  return text.slice(from);
}

/** Text of a transaction after a position in it: to the end of `inTransaction(...)`, or of the function without one. */
function restOfTransaction(text: string, from: number): string {
  const start = text.lastIndexOf('inTransaction(', from);
  const end = start === -1 ? -1 : closeOf(text, start + 'inTransaction'.length);
  return end > from ? text.slice(from, end) : restOfBlock(text, from);
}

test('the audit entry is the last statement of its transaction: its lock is the last one taken', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && path !== 'audit/record-audit.ts')
    .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));
  const calls = files.flatMap(({ path, text }) =>
    [...text.matchAll(CALL)].map(({ index }) => ({
      path,
      after: restOfTransaction(text, closeOf(text, index + 'recordAudit'.length)),
    })),
  );
  expect(calls.length).toBeGreaterThan(20);
  const early = calls.filter(({ path, after }) => !ALLOWED.has(path) && /\bawait\b|\(tx\b/.test(after));
  expect(early.map(({ path }) => path)).toEqual([]);
});
