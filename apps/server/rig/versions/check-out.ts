import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { git, ROOT } from './find-earlier.ts';
import { linkPackages } from './link-packages.ts';

const run = promisify(execFile);

type CheckedOut = { folder: string; remove: () => Promise<void> };

/** Packages of these are today's. Those of this project are the earlier version's own, with its pages as built today. */
const PARTS = ['apps/server', 'apps/checkout', 'packages/core', 'packages/bundler'];
const WHOLE = ['node_modules', 'bin/toolchain/node_modules', 'apps/checkout/dist', 'apps/dashboard/dist'];

async function linkAll(folder: string, replaced: Readonly<Record<string, string>>): Promise<void> {
  for (const path of WHOLE) await symlink(join(ROOT, path), join(folder, path));
  // A package that the server needed then, and only another app needs today, is found among all that are installed.
  await symlink(join(ROOT, 'node_modules/.pnpm/node_modules'), join(folder, 'apps/node_modules'));
  for (const part of PARTS) await linkPackages(folder, part, replaced);
}

/** Puts a commit into a separate folder, where its code runs with today's packages; `replaced` maps their names to folders. */
export async function checkOut(commit: string, replaced: Readonly<Record<string, string>> = {}): Promise<CheckedOut> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-earlier-'));
  // Links are removed, not followed.
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'earlier.tar');
    await git('archive', '--format=tar', `--output=${archive}`, commit);
    await run('tar', ['-xf', archive, '-C', folder]);
    await linkAll(folder, replaced);
    return { folder, remove };
  } catch (cause) {
    await remove();
    throw cause;
  }
}
