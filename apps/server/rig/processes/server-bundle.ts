import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The server's programs as the image has them, bundled again whenever a source has changed. */

export const PROGRAMS = ['main-api', 'main-worker', 'main-dashboard', 'main-migrate', 'cli'] as const;
export type Program = (typeof PROGRAMS)[number];

const ROOT = join(import.meta.dirname, '../../../..');
const SOURCES = ['apps/server/src', 'apps/checkout/src', 'packages/core/src', 'packages/bundler/src'];
/** Below the server's package, where its programs look for migrations and pages. */
const BUNDLES = join(ROOT, 'apps/server/.local/bundles');
/** Other suites may still start programs of a tree that has changed since. */
const MOST_BUNDLES = 4;
const DIGEST_CHARACTERS = 16;
/** A bundle that is still being made has the id of its process behind the digest. */
const FINISHED = new RegExp(`^[0-9a-f]{${DIGEST_CHARACTERS}}$`);

/** Changes with every file that a bundle is made of. */
export function digestSources(root: string): string {
  const digest = createHash('sha256');
  const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,json}`, { cwd: root }));
  for (const file of [...files, 'pnpm-lock.yaml'].toSorted()) {
    if (file.endsWith('.test.ts')) continue;
    const { size, mtimeNs } = statSync(join(root, file), { bigint: true });
    digest.update(`${file} ${size} ${mtimeNs}\n`);
  }
  return digest.digest('hex').slice(0, DIGEST_CHARACTERS);
}

/**
 * Removes all but the newest bundles. Other processes may do the same now, and those that are still making a bundle are
 * left alone.
 */
export async function removeOldBundles(bundles: string): Promise<void> {
  const finished = readdirSync(bundles).filter((name) => FINISHED.test(name));
  const ages = new Map(
    finished.map((name) => [name, statSync(join(bundles, name), { throwIfNoEntry: false })?.mtimeMs ?? 0]),
  );
  const newestFirst = finished.toSorted((one, other) => (ages.get(other) ?? 0) - (ages.get(one) ?? 0));
  for (const name of newestFirst.slice(MOST_BUNDLES)) await rm(join(bundles, name), { recursive: true, force: true });
}

/** The folder of the bundle of the present sources. Processes may make it at the same time: the first one is kept. */
export async function bundleServer(): Promise<string> {
  const folder = join(BUNDLES, digestSources(ROOT));
  if (existsSync(folder)) return folder;
  const own = `${folder}-${process.pid}`;
  const program = join(ROOT, 'packages/bundler/src/main.ts');
  await promisify(execFile)(process.execPath, ['--no-warnings', program, own]);
  await rename(own, folder).catch(async (cause: unknown) => {
    if (!existsSync(folder)) throw cause;
    await rm(own, { recursive: true });
  });
  await removeOldBundles(BUNDLES);
  return folder;
}

/** The path of a program of the server. While calls are recorded, it is the source: calls are counted by source file. */
export const programPath = async (program: Program): Promise<string> =>
  process.env['NODE_V8_COVERAGE'] === undefined
    ? join(await bundleServer(), `${program}.js`)
    : join(ROOT, `apps/server/src/${program}.ts`);
