import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../rig/processes/run-program.ts';
import { bundleServer, digestSources, PROGRAMS, removeOldBundles } from '../rig/processes/server-bundle.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SERVER = join(ROOT, 'apps/server');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the bundle', () => {
  let dist: string;
  beforeAll(async () => {
    dist = join(folder, 'image/apps/server/dist');
    await cp(await bundleServer(), dist, { recursive: true });
    await cp(join(SERVER, 'src/db/migrations'), join(folder, 'image/apps/server/src/db/migrations'), {
      recursive: true,
    });
    await copyFile(join(ROOT, 'package.json'), join(folder, 'image/package.json'));
    await copyFile(join(SERVER, 'package.json'), join(folder, 'image/apps/server/package.json'));
  });

  test.each(PROGRAMS.filter((program) => program !== 'cli'))('has all that %s needs to start', async (program) => {
    const { error } = await runProgram(program, [], {}, { path: join(dist, `${program}.js`) });
    // Every module is loaded, and the settings are missing.
    expect(error).toContain('COUNTERFOIL_DATABASE_URL');
  });

  test('has all that the command line needs, which knows its version', async () => {
    const ran = await runProgram('cli', ['--version'], {}, { path: join(dist, 'cli.js') });
    expect(ran).toEqual({ code: 0, out: expect.stringMatching(/^counterfoil \d/), error: '' });
  });

  test('passes on the licence of every package in it, and lists the packages for scanners', async () => {
    const licences = await readFile(join(dist, 'LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(await readFile(join(dist, 'components.cdx.json'), 'utf8')) as {
      components: { name: string; version: string; purl: string }[];
    };
    const { dependencies } = JSON.parse(await readFile(join(SERVER, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const bundled = new Map(components.map(({ name, version }) => [name, version]));
    const packages = Object.entries(dependencies).filter(([name]) => !name.startsWith('@counterfoil/'));
    expect(packages.filter(([name, version]) => bundled.get(name) !== version)).toEqual([]);
    const heads = components.map(({ name, version }) => `${name} ${version} (`);
    expect(heads.filter((head) => !licences.includes(head))).toEqual([]);
    expect(components.map(({ purl }) => purl)).toContain('pkg:npm/%40noble/hashes@2.4.0');
  });
});

test('the four newest bundles are kept, and one that another process is still making', async () => {
  const bundles = join(folder, 'bundles');
  const names = ['1', '2', '3', '4', '5', '6'].map((digit) => digit.repeat(16));
  const making = `${'0'.repeat(16)}-4711`;
  for (const [age, name] of [making, ...names].entries()) {
    await mkdir(join(bundles, name), { recursive: true });
    await utimes(join(bundles, name), age, age);
  }
  await Promise.all([removeOldBundles(bundles), removeOldBundles(bundles)]);
  expect((await readdir(bundles)).toSorted()).toEqual([making, ...names.slice(2)]);
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

describe('the digest of the sources', () => {
  const source = 'apps/server/src/lib/clock.ts';
  beforeAll(async () => {
    await write('pnpm-lock.yaml', '');
    await write(source, 'one');
  });

  test('stays while nothing changes, and when only a test does', async () => {
    const before = digestSources(folder);
    await write('apps/server/src/lib/clock.test.ts', 'a test');
    expect(digestSources(folder)).toBe(before);
  });

  test('changes with a file of the same length, an added file and a package', async () => {
    const digests = [digestSources(folder)];
    await write(source, 'two');
    await utimes(join(folder, source), new Date(0), new Date(0));
    digests.push(digestSources(folder));
    await write('packages/core/src/usd.ts', '');
    digests.push(digestSources(folder));
    await write('pnpm-lock.yaml', 'another version');
    digests.push(digestSources(folder));
    expect(new Set(digests).size).toBe(4);
  });
});
