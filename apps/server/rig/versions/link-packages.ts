import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ROOT } from './find-earlier.ts';

const OWN = '@counterfoil';

/** Links `name` of a package's node_modules; a package of this project is the folder's own one, if it has one. */
async function linkOne(folder: string, modules: string, name: string, target: string): Promise<void> {
  const place = relative(ROOT, await realpath(join(ROOT, modules, name)));
  const own = join(folder, place);
  await symlink(name.startsWith(OWN) && existsSync(own) ? own : target, join(folder, modules, name));
}

/**
 * Links the packages that `part`, such as `apps/server`, has here into another copy of this project, where it uses the
 * copy's own `packages/core`. `replaced` maps names of packages to other folders.
 */
export async function linkPackages(
  folder: string,
  part: string,
  replaced: Readonly<Record<string, string>> = {},
): Promise<void> {
  const modules = join(part, 'node_modules');
  const listed = existsSync(join(ROOT, modules)) ? await readdir(join(ROOT, modules)) : [];
  const own = listed.includes(OWN) ? await readdir(join(ROOT, modules, OWN)) : [];
  await mkdir(join(folder, modules, own.length > 0 ? OWN : ''), { recursive: true });
  const names = [...listed.filter((name) => name !== OWN), ...own.map((name) => join(OWN, name))];
  for (const name of names) await linkOne(folder, modules, name, replaced[name] ?? join(ROOT, modules, name));
}
