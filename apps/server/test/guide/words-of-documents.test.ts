import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../rig/guide/read-guide.ts';
import { parseOptions } from '../../src/commands/command.ts';
import { configCommands } from '../../src/commands/config-commands.ts';
import { doctorCommand } from '../../src/commands/doctor-command.ts';
import { OPERATOR_COMMANDS } from '../../src/commands/operator-commands.ts';
import { rateCheckCommand } from '../../src/commands/rate-check-command.ts';
import { findUnknownSettings } from '../../src/config/find-unknown-settings.ts';

/** Commands, scripts and files that documents name in the middle of a sentence, and settings in their files: they must exist. */

const REPOSITORY = join(import.meta.dirname, '../../../..');
const textOf = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
/** Decisions say what was so when they were taken. */
const pages = globSync(['*.md', 'docs/*.md', 'docs/{guides,operations}/*.md'], { cwd: REPOSITORY }).toSorted();

const COMMANDS = [...OPERATOR_COMMANDS, ...configCommands, rateCheckCommand, doctorCommand];
const INLINE = /`([^`\n]+)`/g;
const INI = /^```ini\n([\s\S]*?)^```$/gm;

const inline = pages.flatMap((page) => [...textOf(page).matchAll(INLINE)].map(([, words = '']) => ({ page, words })));
const startingWith = (start: string) => inline.filter(({ words }) => words.startsWith(start));

describe('a document', () => {
  test.each(startingWith('counterfoil-admin '))('names a command that there is: $page $words', ({ words }) => {
    const typed = wordsOf(words).slice(1);
    const found = COMMANDS.find(({ name }) => `${typed.join(' ')} `.startsWith(`${name} `));
    expect(found).toBeDefined();
    const options = typed.slice(found?.name.split(' ').length).filter((word) => word !== '...');
    expect(() => parseOptions(found?.options ?? {}, options)).not.toThrow();
  });

  test.each(startingWith('pnpm '))('names a script that there is: $page $words', ({ words }) => {
    const [, script = ''] = words.split(' ');
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    expect([...Object.keys(scripts), 'install', 'audit', 'why']).toContain(script);
  });

  test.each([...startingWith('pnpm drill '), ...startingWith('pnpm bench ')])(
    'names a drill or bench that there is: $page $words',
    ({ words }) => {
      const [, kind, name = ''] = words.split(' ');
      const folder = `apps/server/${kind === 'drill' ? 'drills' : 'benches'}`;
      expect([...readdirSync(join(REPOSITORY, folder)), 'NAME', '--list']).toContain(name);
    },
  );

  test('names files of bin and deploy that there are', () => {
    const named = inline.flatMap(({ page, words }) =>
      words.split(/[\s"()]+/).flatMap((word) => (/^(?:bin|deploy)\/\w/.test(word) ? [{ page, word }] : [])),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ word }) => !existsSync(join(REPOSITORY, word)))).toEqual([]);
  });

  test('names settings in sentences that a process, compose, Caddy or a script reads', () => {
    const named = inline.flatMap(({ page, words }) =>
      (words.match(/COUNTERFOIL_[A-Z0-9_]*[A-Z0-9](?![A-Z0-9_<*])/g) ?? []).map((name) => ({ page, name })),
    );
    expect(named.length).toBeGreaterThan(0);
    const readers = globSync(
      [
        'compose.yaml',
        '.env.example',
        'deploy/Caddyfile',
        'bin/{install,postgres,setup,with-*}',
        'apps/server/rig/fakes/seeded-properties.ts',
        'e2e/dashboard/audit.ts',
      ],
      { cwd: REPOSITORY },
    );
    const elsewhere = new Set(readers.flatMap((path) => textOf(path).match(/COUNTERFOIL_[A-Z0-9_]*[A-Z0-9]/g) ?? []));
    const isRead = (name: string) => elsewhere.has(name) || findUnknownSettings({ [name]: 'x' }).length === 0;
    expect(named.filter(({ name }) => !isRead(name))).toEqual([]);
  });

  test('shows settings in files that processes or Caddy read', () => {
    const names = pages.flatMap((page) =>
      [...textOf(page).matchAll(INI)].flatMap(([, block = '']) => block.match(/^COUNTERFOIL_\w+(?==)/gm) ?? []),
    );
    expect(names.length).toBeGreaterThan(0);
    const caddy = textOf('deploy/Caddyfile');
    const own = names.filter((name) => !caddy.includes(`{$${name}:`));
    expect(findUnknownSettings(Object.fromEntries(own.map((name) => [name, 'x'])))).toEqual([]);
  });
});
