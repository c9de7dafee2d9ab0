import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FULL, GATE } from '../ci/step.ts';
import { commandOf, listPrograms, PROGRAMS } from './program.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const MOST_SCRIPTS = 28;
const MOST_WIDTH = 130;

const KINDS = [
  ['drill', 'drills'],
  ['bench', 'benches'],
] as const;

test('package.json has at most 28 scripts, and none for a single drill or bench', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(MOST_SCRIPTS);
  expect(Object.entries(scripts).filter(([, command]) => /\b(drills|benches)\//.test(command as string))).toEqual([]);
});

test.each(KINDS)('every folder of a %s is listed, and every listed name is a folder with a program', (kind, folder) => {
  const names = Object.keys(PROGRAMS[kind]);
  const entries = readdirSync(join(ROOT, 'apps/server', folder), { withFileTypes: true });
  expect(names).toEqual(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted());
  expect(names.filter((name) => !existsSync(join(ROOT, `apps/server/${folder}/${name}/main.ts`)))).toEqual([]);
});

test.each(KINDS)('every %s is a step of the gate or of the full run, under its name', (kind) => {
  const steps = new Set([...GATE, ...FULL].flat(2));
  expect(Object.keys(PROGRAMS[kind]).filter((name) => !steps.has(`${kind}:${name}`))).toEqual([]);
});

test.each(KINDS)('the list of every %s is aligned, and says in a sentence what it does', (kind) => {
  const lines = listPrograms(kind);
  const column = (lines[0]?.search(/ \w/) ?? 0) + 1;
  for (const line of lines) {
    expect(line.charAt(column - 1)).toBe(' ');
    expect(line.slice(column)).toMatch(/^(\S.*\.|\[--.*\])$/);
    expect(line.length).toBeLessThanOrEqual(MOST_WIDTH);
  }
});

test.each([
  [
    'drill',
    'chain',
    ['--quick', '--seed', '7'],
    'bin/with-postgres node apps/server/drills/chain/main.ts --quick --seed 7',
  ],
  ['drill', 'mutants', ['--changed'], 'bin/with-postgres --volatile node apps/server/drills/mutants/main.ts --changed'],
  ['drill', 'webhooks', [], 'bin/with-toolchain node apps/server/drills/webhooks/main.ts'],
  ['bench', 'webhooks', [], 'bin/with-postgres node apps/server/benches/webhooks/main.ts'],
] as const)('a %s %s starts what it needs and gets its options unchanged', (kind, name, words, command) => {
  expect(commandOf(kind, name, words)?.join(' ')).toBe(command);
});

test.each(['chian', 'toString', '', '--quick'])('there is no drill %j', (name) => {
  expect(commandOf('drill', name, [])).toBeUndefined();
});
