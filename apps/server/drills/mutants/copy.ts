import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Mutant } from './mutant.ts';
import { readEdited } from './plant-edits.ts';

/** Copies of the work tree, in which a bug can be planted without touching the original files. */

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../../..');
const LINKED = ['node_modules', 'apps/server/node_modules', 'bin/toolchain/node_modules'];
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

/** The first type error of the sources, or undefined. Suites run without type checks and would not show type errors. */
async function compile(folder: string): Promise<string | undefined> {
  const settings = join(folder, 'apps/server/tsconfig.sources.json');
  const parts = { extends: './tsconfig.json', include: ['src'], exclude: ['**/*.test.ts'] };
  await writeFile(settings, JSON.stringify(parts));
  try {
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', settings], { cwd: folder });
    return undefined;
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    return (stderr.trim() || stdout.trim() || String(cause)).split('\n')[0];
  }
}

/** Plants all given bugs that can be planted together. */
async function plantTogether(folder: string, mutants: readonly Mutant[]): Promise<Map<Mutant, Planted>> {
  const group = new Map<Mutant, Planted>();
  for (const mutant of mutants) {
    const planted = await plant(folder, mutant).catch(() => undefined);
    if (planted) group.set(mutant, planted);
  }
  return group;
}

/**
 * Type errors of planted bugs. Bugs that fit beside each other are compiled together, because the compiler costs more
 * time than a test; only after an error are the bugs compiled one by one.
 */
export async function compileEach(folder: string, mutants: readonly Mutant[]): Promise<string[]> {
  const group = await plantTogether(folder, mutants);
  if (group.size === 0) return [];
  const complaint = await compile(folder);
  for (const { takeOut } of [...group.values()].toReversed()) await takeOut();
  const complaints = await compileEach(
    folder,
    mutants.filter((mutant) => !group.has(mutant)),
  );
  if (complaint === undefined) return complaints;
  const [first, ...others] = group.keys();
  if (others.length === 0) return [...complaints, `${first?.name}: ${complaint}`];
  for (const mutant of group.keys()) complaints.push(...(await compileEach(folder, [mutant])));
  return complaints;
}
