import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fixtureIn } from '../preview/fixture-in.ts';
import type { CheckoutView } from '../src/checkout-view.ts';
import { LANGUAGES } from '../src/language.ts';
import { renderPage } from '../src/render-page.ts';

/** Limits of what a phone has to fetch before a customer can pay. 1 kB is 1,024 bytes. */

const JAVASCRIPT_MAX = 12 * 1_024;
const PAGE_MAX = 25 * 1_024;
const ASSETS = join(import.meta.dirname, '../dist/assets');

const files = readdirSync(ASSETS);
/** Files that a customer's page loads: the test payer's panel is on pages of test stores alone. */
const loaded = files.filter((name) => !name.startsWith('sandbox-panel'));
const sizeOf = (ending: string) =>
  loaded
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + readFileSync(join(ASSETS, name)).length, 0);

test('JavaScript is at most 12 kB, compressed', () => {
  expect(sizeOf('.js.gz')).toBeGreaterThan(0);
  expect(sizeOf('.js.gz')).toBeLessThanOrEqual(JAVASCRIPT_MAX);
});

test.each(Object.entries(LANGUAGES))(
  'in %s the page to pay on is at most 25 kB with all it needs, compressed',
  (language) => {
    const style = loaded
      .filter((name) => name.endsWith('.css'))
      .map((name) => readFileSync(join(ASSETS, name), 'utf8'));
    const html = renderPage({
      view: fixtureIn('pay', language) as CheckoutView,
      language,
      languageFixed: false,
      check: null,
      refusal: null,
      panel: null,
      assets: { scriptPath: '/assets/page.js', stylePath: null, style: style.join('') },
      paths: { self: '/b', events: '/e', state: '/s', select: '/c', check: '/t', languages: {} },
    });
    expect(gzipSync(html).length + sizeOf('.js.gz')).toBeLessThanOrEqual(PAGE_MAX);
  },
);

test('every asset is also built compressed', () => {
  const plain = files.filter((name) => !/\.(gz|br)$/.test(name));
  expect(plain.every((name) => files.includes(`${name}.gz`) && files.includes(`${name}.br`))).toBe(true);
});
