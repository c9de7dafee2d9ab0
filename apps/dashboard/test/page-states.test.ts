import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STATES } from '../preview/page-row.ts';
import { pageRows } from '../preview/page-states.ts';

/** The table of pages and states, from which pictures are taken, against the addresses of the router. */

const SOURCE = join(import.meta.dirname, '../src');

const ROWS = pageRows({
  base: '/m/ACC-1',
  newBase: '/m/ACC-2',
  strictBase: '/m/ACC-3',
  stores: { coffee: 'MID-1', wholesale: 'MID-2', bean: 'MID-3', long: 'MID-4', bare: 'MID-5', test: 'MID-6' },
  trade: { paid: 'TID-1', stray: 'TID-2', long: 'TID-3', test: 'TID-4', hash: '0x1' },
  hooks: { event: 'evt_1', failed: 'evt_2', transfer: '7' },
  invitation: 'token',
});

/** Addresses of the router, with `*` for what they name. The first one only leads on to another. */
function routes(): string[] {
  const sources = ['router.tsx', 'visitor-routes.ts'].map((file) => readFileSync(join(SOURCE, file), 'utf8'));
  const blocks = sources.join('\n').match(/createRoute\(\{[^]*?path: '[^']+'/g) ?? [];
  return blocks
    .map((block) => {
      const path = /path: '([^']+)'$/.exec(block)?.[1] ?? '';
      const prefix = block.includes('() => account,')
        ? '/m/*'
        : block.includes('() => unmatched,')
          ? '/m/*/unmatched'
          : '';
      return `${prefix}${path}`.replaceAll(/\$\w+/g, '*').replace(/(.)\/$/, '$1');
    })
    .filter((path) => path !== '/');
}

/** Pages of links take the token in the fragment; older links have it in the path. */
const patternOf = (route: string) =>
  new RegExp(`^${route.replace('/{-*}', '(?:/[^/]+|#.+)').replaceAll('*', '[^/]+')}(?:#.+)?$`);

test('every page of the router has a row', () => {
  const all = routes();
  expect(all.length).toBeGreaterThan(25);
  const paths = Object.values(ROWS).map(({ path }) => path);
  expect(all.filter((route) => !paths.some((path) => patternOf(route).test(path)))).toEqual([]);
});

test('a cell without a picture says in a sentence why there is none', () => {
  const reasons = Object.entries(ROWS).flatMap(([page, { states }]) =>
    STATES.flatMap((state) => {
      const cell = states[state];
      return 'why' in cell ? [{ page, state, why: cell.why }] : [];
    }),
  );
  expect(reasons.filter(({ why }) => !/^[A-Z].{10,}\.$/.test(why))).toEqual([]);
});
