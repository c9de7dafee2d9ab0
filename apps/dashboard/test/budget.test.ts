import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Limits of what a browser fetches before a page can be used. The build must be there: `pnpm build`. */

const DIST = join(import.meta.dirname, '../dist');
const JAVASCRIPT_MAX = 184_320;

type Chunk = { file: string; imports?: string[] };
const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The files of chunks and of all their static imports. */
function filesOf(keys: readonly string[], found = new Set<string>()): Set<string> {
  for (const key of keys) {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The build has no ${key}.`);
    if (found.has(chunk.file)) continue;
    found.add(chunk.file);
    filesOf(chunk.imports ?? [], found);
  }
  return found;
}

const compressedSize = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + readFileSync(join(DIST, `${file}.gz`)).length, 0);

const START = ['index.html', 'src/language/locales/ar/first.ts'];
const FIRST_PAGES = {
  'a visitor': [...START, 'src/pages/sign-in-page.tsx'],
  'a member': [...START, 'src/frame/app-frame.tsx', 'src/pages/home/home-page.tsx', 'src/language/locales/ar/home.ts'],
};

test.each(Object.entries(FIRST_PAGES))(
  'the first page of %s needs at most 180 kB of script, compressed',
  (who, keys) => {
    const initial_js_gz = compressedSize(filesOf(keys));
    process.stdout.write(`${JSON.stringify({ first_page_of: who, initial_js_gz })}\n`);
    expect(initial_js_gz).toBeLessThanOrEqual(JAVASCRIPT_MAX);
  },
);

test('nothing in the document runs or styles by itself', () => {
  const document = readFileSync(join(DIST, 'index.html'), 'utf8');
  expect(document).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|https?:/);
});
