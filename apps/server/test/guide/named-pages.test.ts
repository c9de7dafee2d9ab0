import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALERT_WORDS } from '../../src/alerts/alert-words.ts';
import { OPERATOR_COMMANDS } from '../../src/commands/operator-commands.ts';

/** Every page and command that a finding, refusal, alert or unit refers an operator to must exist. */

const REPOSITORY = join(import.meta.dirname, '../../../..');
const SOURCES = [
  'apps/server/src/**/*.ts',
  'deploy/**/*.{yml,yaml,service,timer,conf}',
  'deploy/Caddyfile',
  'bin/{install,build-image}',
  'compose.yaml',
  '.env.example',
];
const textOf = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

const named = globSync(SOURCES, { cwd: REPOSITORY, exclude: ['**/*.test.ts'] }).flatMap((path) =>
  (textOf(path).match(/\bdocs\/[\w/.-]+\.md(?:#[\w-]+)?/g) ?? []).map((page) => ({ path, page })),
);
const anchorsOf = (path: string) =>
  [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );

test('every page that the product names exists, with its heading', () => {
  const pages = new Set(globSync('docs/**/*.md', { cwd: REPOSITORY }));
  const wrong = named.filter(({ page }) => {
    const [path = '', anchor] = page.split('#');
    return !pages.has(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  });
  expect(named.length).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});

test('every command that an alert asks for exists', () => {
  const names = new Set([...OPERATOR_COMMANDS.map(({ name }) => name), 'doctor']);
  const asked = Object.values(ALERT_WORDS).flatMap(({ todo }) =>
    [...todo.matchAll(/\brun (doctor|(?!it\b)\S+ [a-z-]+)/gi)].map(([, command = '']) => command),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((command) => !names.has(command))).toEqual([]);
});
