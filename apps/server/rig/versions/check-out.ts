import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { git, ROOT } from './find-earlier.ts';

const run = promisify(execFile);

type CheckedOut = { folder: string; remove: () => Promise<void> };

/**
 * Links today's packages to the earlier code; `replaced` maps names of packages to other folders. Its pages
 * are its own, as built today.
 */
async function linkPackages(folder: string, replaced: Readonly<Record<string, string>>): Promise<void> {
  const server = 'apps/server/node_modules';
  const pages = ['apps/checkout/node_modules', 'apps/checkout/dist', 'apps/dashboard/dist'];
  const whole = ['node_modules', 'bin/toolchain/node_modules', ...pages];
  for (const path of whole) await symlink(join(ROOT, path), join(folder, path));
  // A package that the server needed then, and only another app needs today, is found among all that are installed.
  await symlink(join(ROOT, 'node_modules/.pnpm/node_modules'), join(folder, 'apps/node_modules'));
  await mkdir(join(folder, server, '@counterfoil'), { recursive: true });
  await symlink(join(folder, 'apps/checkout'), join(folder, server, '@counterfoil/checkout'));
  const names = (await readdir(join(ROOT, server))).filter((name) => name !== '@counterfoil');
  for (const name of names) await symlink(replaced[name] ?? join(ROOT, server, name), join(folder, server, name));
}

/** Puts a commit into a folder of its own, where its code runs with today's packages. */
export async function checkOut(commit: string, replaced: Readonly<Record<string, string>> = {}): Promise<CheckedOut> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-earlier-'));
  // Links are removed, not followed.
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'earlier.tar');
    await git('archive', '--format=tar', `--output=${archive}`, commit);
    await run('tar', ['-xf', archive, '-C', folder]);
    await linkPackages(folder, replaced);
    return { folder, remove };
  } catch (cause) {
    await remove();
    throw cause;
  }
}
