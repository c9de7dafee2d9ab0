import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { linkPackages } from '../../rig/versions/link-packages.ts';
import type { Mutant } from './mutant.ts';
import { readEdited } from './plant-edits.ts';

/** Copies of the work tree, in which a bug can be planted without touching the original files. */

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../../..');
const LINKED = ['node_modules', 'bin/toolchain/node_modules', 'apps/checkout/dist', 'apps/dashboard/dist'];
/** Folders with packages of their own, among which are folders of this project: a copy uses its own ones. */
const PARTS = ['apps/server', 'apps/checkout', 'apps/dashboard', 'packages/bundler', 'packages/core'];
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Tracked files, and new files that are not ignored: the tree as it is, committed or not. */
async function listFiles(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    maxBuffer: MAX_LIST_BYTES,
  });
  // Folders that the copy links to are left out: where such a folder is a symbolic link, git lists the link as a new
  // file.
  return [...new Set(stdout.split('\0'))].filter((path) => path !== '' && !LINKED.includes(path));
}

const isGone = (cause: unknown) => (cause as NodeJS.ErrnoException).code === 'ENOENT';

async function copyTree(to: string): Promise<void> {
  const files = await listFiles();
  for (const folder of new Set(files.map((path) => dirname(path)))) await mkdir(join(to, folder), { recursive: true });
  for (const path of files) {
    await copyFile(join(ROOT, path), join(to, path)).catch((cause: unknown) => {
      // A tracked file that is deleted in the work tree is not copied.
      if (!isGone(cause)) throw cause;
    });
  }
  for (const path of LINKED) await symlink(join(ROOT, path), join(to, path));
  for (const part of PARTS) await linkPackages(to, part);
}

export async function withCopy<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-mutant-'));
  try {
    await copyTree(folder);
    return await use(folder);
  } finally {
    // `rm` removes the symbolic links to folders of the original tree, and does not follow the links.
    await rm(folder, { recursive: true, force: true });
  }
}

export type Planted = { paths: string[]; takeOut: () => Promise<void> };

export async function plant(folder: string, mutant: Mutant): Promise<Planted> {
  const edited = await readEdited(join(folder, 'apps/server'), mutant.edits);
  for (const { path, after } of edited) await writeFile(path, after);
  return {
    paths: edited.map(({ path }) => path),
    takeOut: async () => {
      for (const { path, before } of edited) await writeFile(path, before);
    },
  };
}

/** Type errors of the sources. Suites run without type checks and would not show type errors. */
async function compile(folder: string): Promise<string[]> {
  const settings = join(folder, 'apps/server/tsconfig.sources.json');
  const parts = {
    extends: './tsconfig.json',
    include: ['src'],
    exclude: ['**/*.test.ts'],
    compilerOptions: { incremental: true, tsBuildInfoFile: './sources.tsbuildinfo' },
  };
  await writeFile(settings, JSON.stringify(parts));
  try {
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', settings], { cwd: folder });
    return [];
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    return (stderr.trim() || stdout.trim() || String(cause)).split('\n').filter((line) => line.includes('error'));
  }
}

/** Groups of bugs that have no file in common: two in one file could cause a type error that neither causes alone. */
function groupByFiles(mutants: readonly Mutant[]): Mutant[][] {
  const groups: { members: Mutant[]; files: Set<string> }[] = [];
  for (const mutant of mutants) {
    const files = mutant.edits.map(({ file }) => file);
    let group = groups.find((some) => !files.some((file) => some.files.has(file)));
    if (!group) groups.push((group = { members: [], files: new Set() }));
    group.members.push(mutant);
    for (const file of files) group.files.add(file);
  }
  return groups.map(({ members }) => members);
}

async function compileGroup(folder: string, group: readonly Mutant[]): Promise<string[]> {
  const planted: Planted[] = [];
  for (const mutant of group) planted.push(await plant(folder, mutant));
  const complaints = await compile(folder);
  for (const { takeOut } of planted) await takeOut();
  if (complaints.length === 0) return [];
  if (group.length === 1) return [`${group[0]?.name}: ${complaints[0]}`];
  const blamed = group.flatMap(({ name, edits }) => {
    const own = complaints.filter((line) => edits.some(({ file }) => line.startsWith(`${join('apps/server', file)}(`)));
    return own.length > 0 ? [{ name, own }] : [];
  });
  // Mutants of a group change different files, so an error in one of these files is caused by its mutant. If any error
  // is in another file, each half of the group is compiled separately.
  if (blamed.reduce((sum, { own }) => sum + own.length, 0) === complaints.length)
    return blamed.map(({ name, own }) => `${name}: ${own[0]}`);
  const half = Math.ceil(group.length / 2);
  return [...(await compileGroup(folder, group.slice(0, half))), ...(await compileGroup(folder, group.slice(half)))];
}

/** Type errors of planted bugs. Many bugs are compiled together, because the compiler takes longer than a test. */
export async function compileEach(folder: string, mutants: readonly Mutant[]): Promise<string[]> {
  const complaints: string[] = [];
  for (const group of groupByFiles(mutants)) complaints.push(...(await compileGroup(folder, group)));
  return complaints;
}
