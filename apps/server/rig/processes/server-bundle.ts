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

/** Changes with every file that a bundle is made of. */
export function digestSources(root: string): string {
  const digest = createHash('sha256');
  const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,json}`, { cwd: root }));
  for (const file of [...files, 'pnpm-lock.yaml'].toSorted()) {
    if (file.endsWith('.test.ts')) continue;
    const { size, mtimeNs } = statSync(join(root, file), { bigint: true });
    digest.update(`${file} ${size} ${mtimeNs}\n`);
  }
  return digest.digest('hex').slice(0, 16);
}

async function removeOldBundles(): Promise<void> {
  const folders = readdirSync(BUNDLES).map((name) => join(BUNDLES, name));
  const ages = new Map(folders.map((folder) => [folder, statSync(folder).mtimeMs]));
  const newestFirst = folders.toSorted((one, other) => (ages.get(other) ?? 0) - (ages.get(one) ?? 0));
  for (const folder of newestFirst.slice(MOST_BUNDLES)) await rm(folder, { recursive: true });
}

/** The folder of the bundle of today's sources; processes that make it at the same time make the same. */
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
  await removeOldBundles();
  return folder;
}

/** The path of a program of the server, for Node. While calls are recorded, which goes by source file, it is the source. */
export const programPath = async (program: Program): Promise<string> =>
  process.env['NODE_V8_COVERAGE'] === undefined
    ? join(await bundleServer(), `${program}.js`)
    : join(ROOT, `apps/server/src/${program}.ts`);
