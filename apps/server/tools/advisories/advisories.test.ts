import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Post, Scan } from './find-advisories.ts';
import { describeScan, findAdvisories, isRefused } from './find-advisories.ts';
import { readLockedPackages } from './locked-packages.ts';

const LOCKFILE = `
lockfileVersion: '9.0'
importers:
  apps/one:
    dependencies:
      '@own/two': { specifier: 'workspace:*', version: 'link:../two' }
      direct: { specifier: 1.0.0, version: 1.0.0(peer@2.0.0) }
    devDependencies:
      tool: { specifier: 3.0.0, version: 3.0.0 }
packages:
  '@scope/deep@4.0.0': {}
  direct@1.0.0: {}
  peer@2.0.0: {}
  tool@3.0.0: {}
  tool@3.1.0: {}
snapshots:
  '@scope/deep@4.0.0': {}
  direct@1.0.0(peer@2.0.0):
    dependencies: { peer: 2.0.0, alias: '@scope/deep@4.0.0' }
  peer@2.0.0: {}
  tool@3.0.0:
    dependencies: { tool: 3.1.0 }
  tool@3.1.0: {}
`;
const packages = readLockedPackages(LOCKFILE);

describe('packages of the lockfile', () => {
  test('are those of production if a dependency of a workspace leads to them', () => {
    expect(packages.map(({ name, version, production }) => [name, version, production])).toEqual([
      ['@scope/deep', '4.0.0', true],
      ['direct', '1.0.0', true],
      ['peer', '2.0.0', true],
      ['tool', '3.0.0', false],
      ['tool', '3.1.0', false],
    ]);
  });

  test('of this repository are all read, with fastify for production and vitest for development', () => {
    const own = readLockedPackages(readFileSync(join(import.meta.dirname, '../../../../pnpm-lock.yaml'), 'utf8'));
    const isProduction = (name: string) => own.find((one) => one.name === name)?.production;
    expect([isProduction('fastify'), isProduction('pg'), isProduction('vitest')]).toEqual([true, true, false]);
    expect(own.every(({ version }) => /^\d/.test(version))).toBe(true);
  });

  test('of a lockfile of another version are refused', () => {
    expect(() => readLockedPackages("lockfileVersion: '12.0'")).toThrow('version 12.0');
  });
});

const advisory = (severity: string) => ({
  id: 1,
  url: 'https://github.com/advisories/GHSA-0000-0000-0000',
  title: 'Prototype pollution',
  severity,
  vulnerable_versions: '<1.0.1',
  cwe: ['CWE-1321'],
  cvss: { score: 9.8, vectorString: null },
});
/** A registry that gives a recorded answer. */
const answering =
  (body: unknown, status = 200): Post =>
  async () =>
    Response.json(body, { status });

describe('a scan', () => {
  test('asks for every version of every package', async () => {
    const asked: unknown[] = [];
    await findAdvisories(packages, async (url, { body }) => {
      asked.push([url, JSON.parse(body)]);
      return Response.json({});
    });
    expect(asked).toEqual([
      [
        'https://registry.npmjs.org/-/npm/v1/security/advisories/bulk',
        { '@scope/deep': ['4.0.0'], direct: ['1.0.0'], peer: ['2.0.0'], tool: ['3.0.0', '3.1.0'] },
      ],
    ]);
  });

  test.each([
    ['high', 'direct', true],
    ['moderate', '@scope/deep', true],
    ['low', 'direct', false],
    ['critical', 'tool', false],
  ])('with an advisory of severity %s about %s stops a release: %s', async (severity, name, refused) => {
    const scan = await findAdvisories(packages, answering({ [name]: [advisory(severity)] }));
    expect(isRefused(scan)).toBe(refused);
    expect(describeScan(scan, packages.length)).toEqual([
      `${severity} ${name === 'tool' ? 'development' : 'production'} ${name} <1.0.1: Prototype pollution https://github.com/advisories/GHSA-0000-0000-0000`,
      'Vulnerability scan: 5 packages, 1 advisories.',
    ]);
  });

  test('without advisories says how many packages it is about', async () => {
    const scan = await findAdvisories(packages, answering({}));
    expect([isRefused(scan), describeScan(scan, 5)]).toEqual([
      false,
      ['Vulnerability scan: 5 packages, 0 advisories.'],
    ]);
  });

  test.each<[string, Post, string]>([
    ['that cannot reach the registry', async () => Promise.reject(new TypeError('fetch failed')), 'fetch failed'],
    ['that the registry refuses', answering({}, 405), 'the registry answers with 405'],
    ['that is answered with something else', answering({ direct: 'none' }), 'the registry answers in an unknown form'],
    ['that is answered with a page', async () => new Response('<html>'), 'JSON'],
  ])('%s says that it was not run', async (_title, post, reason) => {
    const scan: Scan = await findAdvisories(packages, post);
    expect(isRefused(scan)).toBe(false);
    expect(describeScan(scan, 5)).toEqual([expect.stringMatching(/^Vulnerability scan: not run \(.*\)\.$/)]);
    expect(describeScan(scan, 5)[0]).toContain(reason);
  });
});
