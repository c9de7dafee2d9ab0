import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDecimal } from '@counterfoil/core/amount.ts';
import { isTransId } from '@counterfoil/core/code.ts';
import { expect, test } from 'vitest';
import { createInvoiceBody, echoedRequestId } from '../../src/api/create-invoice-body.ts';
import { clientBucket } from '../../src/lib/client-address.ts';
import { parseBody } from '../../src/api/request-body.ts';
import { decodableUrl } from '../../src/lib/request-url.ts';
import { hasAtMost, isStorableText, isWebUrl } from '../../src/lib/text.ts';
import { isWellFormedApiKey } from '../../src/stores/api-key.ts';

const LENGTH = 100_000;
const BOUND_MS = 50;
const TRIES = 3;

/** Beginnings, repeated pieces and ends that make a backtracking pattern try everything. */
const STARTS = ['', 'TID-', 'cf_live_', 'https://', '0.', '::'];
const PIECES = ['a', 'A', '0', ' ', '.', ':', '%', '/', '@', '"', '{"a":', '1.', 'a.', '0,', '\u0000', '\ud800', '😀'];
const ENDS = ['', '!'];

const hostile = STARTS.flatMap((start) =>
  PIECES.flatMap((piece) => ENDS.map((end) => start + piece.repeat(Math.ceil(LENGTH / piece.length)) + end)),
);

/** Processor time of this thread only: another process may take the processor for longer than the bound. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Best of several attempts: garbage of an earlier test may be collected during one. */
function fastestMs(work: () => unknown): number {
  let best = Infinity;
  for (let tries = 0; tries < TRIES && best >= BOUND_MS; tries += 1) {
    const startedAt = cpuMs();
    work();
    best = Math.min(best, cpuMs() - startedAt);
  }
  return best;
}

/** Beginning of the first text that takes too long. */
function slowText(check: (text: string) => unknown): string | undefined {
  return hostile.find((text) => fastestMs(() => check(text)) >= BOUND_MS)?.slice(0, 20);
}

test.each<[string, (text: string) => unknown]>([
  ['an invoice code', isTransId],
  ['an API key', isWellFormedApiKey],
  ['a URL', isWebUrl],
  ['text', (text) => [isStorableText(text), hasAtMost(text, LENGTH)]],
  ['a decimal', (text) => parseDecimal(text, 8)],
  ['an address', clientBucket],
  ['a path', decodableUrl],
  ['a body', (text) => parseBody(Buffer.from(text), new Set(['amount']))],
  ['a request_id', (text) => echoedRequestId({ request_id: text })],
  ['an amount', (text) => createInvoiceBody.safeParse({ merchant_id: 'x', amount: text })],
  ['a callback_url', (text) => createInvoiceBody.safeParse({ merchant_id: 'x', amount: '5', callback_url: text })],
])('100 kB of hostile text as %s are judged within 50 ms', (_name, check) => {
  expect(slowText(check)).toBeUndefined();
});

const SOURCES = ['../../src', '../../../../packages/core/src'].map((path) => join(import.meta.dirname, path));
const LITERAL =
  /(?<=[=(,:!&|?[]\s*)\/(?![*/])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s,;.)\]])/g;

/**
 * Patterns that search for an end and so are not linear, but run only on our own short text: configuration, formatted
 * numbers.
 */
const ON_OWN_TEXT = new Set(['config.ts \\/+$', 'chain-config.ts \\/+$', 'amount.ts 0+$']);

const patterns = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...readFileSync(join(folder, path), 'utf8').matchAll(LITERAL)].map(
        ([, source = '', flags = '']) => [path, new RegExp(source, flags)] as const,
      ),
    ),
);

test('the patterns of the source are found', () => {
  expect(patterns.map(([, pattern]) => pattern.source)).toContain('^TID-[A-Z0-9]{16}$');
  expect(patterns.length).toBeGreaterThanOrEqual(10);
});

test.each(patterns.filter(([path, { source }]) => !ON_OWN_TEXT.has(`${path} ${source}`)))(
  '%s: %s is linear on 100 kB of hostile text',
  (_path, pattern) => {
    expect(slowText((text) => text.search(pattern))).toBeUndefined();
  },
);
